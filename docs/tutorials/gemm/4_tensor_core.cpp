// SPDX-License-Identifier: Apache-2.0
// The tensor core of each core multiplies, and threads copy both operands to shared memory: B as it is, A with its rows
// as columns, because eight lanes load eight rows of A and should find them side by side. A warp has 16 x 8 of a tile of
// 64 x 64 in registers of which the compiler does not know: no float variable between clear and store.
#include <tensor_core.h>

#include "gemm.h"

constexpr unsigned kTile = 64, kLanes = 8, kWord = 4;

struct Shared {
  unsigned a[kTile][kTile], b[kTile][kTile];  // rows of k
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
  const spica::Threads all{thread, spica::threads()};
  const unsigned part = simt_uniform(thread / kLanes), lane = thread % kLanes;
  const unsigned row = part / 8 * 16, column = part % 8 * 8;
  const spica::Matrix<const unsigned> words_of_b{reinterpret_cast<const unsigned*>(b.data), b.row};

  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      tensor_core_clear<0>();
      tensor_core_clear<1>();
      for (unsigned step = 0; step < k; step += kTile) {
        copy_transposed(thread, shared.a, &a(i, step), a.row);
        spica::copy<kTile, kTile>(all, spica::Matrix<unsigned>{shared.b[0], kTile}, words_of_b.at(step, j));
        spica::barrier();
        for (unsigned at = 0; at < kTile; at += 8) {
          tensor_core_load_b<kTile * kWord>(address(&shared.b[at][column + lane]));
          tensor_core_load_a<kTile * kWord>(address(&shared.a[at][row + lane]));
          tensor_core_multiply<0>();
          tensor_core_load_a<kTile * kWord>(address(&shared.a[at][row + 8 + lane]));
          tensor_core_multiply<1>();
        }
        spica::barrier();
      }
      float* to = &c(i + row + tensor_core_row(lane), j + column + tensor_core_column(lane));
      tensor_core_store<0>(address(to), 2 * c.row * kWord);
      tensor_core_store<1>(address(to + 8 * c.row), 2 * c.row * kWord);
    }
  }
}

int main() { return run(spica::threads(), task); }
