// SPDX-License-Identifier: Apache-2.0
// As before, but the DMA brings the next block of B while the tensor cores work on this one, and threads store A next to
// the block that others still read. One barrier for each block instead of two.
#include <tensor_core.h>

#include <spica/matrix.h>
#include "gemm.h"

constexpr unsigned kTile = 64, kLanes = 8, kWord = 4;

struct Shared {
  unsigned a[2][kTile][kTile];  // rows of k
  spica::Tile<float, kTile, kTile> b[2];
};
static unsigned address(const void* data) { return reinterpret_cast<uintptr_t>(data); }

/// A thread moves eight neighbouring words of a row of A, and stores them next to those of its neighbours.
SIMT_INLINE void copy_transposed(unsigned thread, unsigned (&to)[kTile][kTile], const float* a,
                                 unsigned a_row) {
  const unsigned row = thread % kTile;
  for (unsigned at = thread / kTile * 8; at < kTile; at += spica::threads() / kTile * 8) {
    const unsigned* from = reinterpret_cast<const unsigned*>(a + row * a_row + at);
    unsigned words[8];
    for (unsigned i = 0; i < 8; ++i) words[i] = from[i];
    for (unsigned i = 0; i < 8; ++i) to[at + i][row] = words[i];
  }
}

static void task(unsigned thread, void* argument) {
  const auto& [a, b, c, m, n, k] = *static_cast<const Product*>(argument);
  auto& shared = spica::shared<Shared>();
  spica::MatrixUnit unit;
  const unsigned part = simt_uniform(thread / kLanes), lane = thread % kLanes;
  const unsigned row = part / 8 * 16, column = part % 8 * 8;

  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      if (thread == 0) (void)unit.load(shared.b[0], b.at(0, j));
      tensor_core_clear<0>();
      tensor_core_clear<1>();
      for (unsigned step = 0, buffer = 0; step < k; step += kTile, buffer ^= 1) {
        copy_transposed(thread, shared.a[buffer], &a(i, step), a.row);
        if (thread == 0) unit.wait();
        spica::barrier();  // the block is there, and no thread still reads the other one
        if (thread == 0 && step + kTile < k) (void)unit.load(shared.b[buffer ^ 1], b.at(step + kTile, j));
        for (unsigned at = 0; at < kTile; at += 8) {
          tensor_core_load_b<8 * kWord>(address(&shared.b[buffer](at, column)) + lane * kWord);
          tensor_core_load_a<kTile * kWord>(address(&shared.a[buffer][at][row + lane]));
          tensor_core_multiply<0>();
          tensor_core_load_a<kTile * kWord>(address(&shared.a[buffer][at][row + 8 + lane]));
          tensor_core_multiply<1>();
        }
      }
      float* to = &c(i + row + tensor_core_row(lane), j + column + tensor_core_column(lane));
      tensor_core_store<0>(address(to), 2 * c.row * kWord);
      tensor_core_store<1>(address(to + 8 * c.row), 2 * c.row * kWord);
      spica::barrier();  // before the first block of the next tile comes
    }
  }
}

int main() { return run(spica::threads(), task); }
