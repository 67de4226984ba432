// SPDX-License-Identifier: Apache-2.0
// The matrix unit multiplies tiles of 64 x 64 x 64 in shared memory; its DMA brings the next pair meanwhile, also that of
// the next tile of C. One lane of the whole machine drives both.
#include <spica/matrix.h>
#include "gemm.h"

constexpr unsigned kTile = 64;

struct Shared {
  spica::Tile<float, kTile, kTile> a[2], b[2];
};

static void drive(unsigned, void* argument) {
  const auto& [a, b, c, m, n, k] = *static_cast<const Product*>(argument);
  auto& shared = spica::shared<Shared>();
  spica::MatrixUnit unit;
  spica::Accumulator<float, kTile, kTile> sums;

  auto loaded = unit.load(shared.a[0], a, shared.b[0], b);
  unsigned next_i = 0, next_j = 0, next_step = 0, buffer = 0;
  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      for (unsigned step = 0; step < k; step += kTile) {
        (void)unit.mma(sums, shared.a[buffer], shared.b[buffer], loaded);
        buffer ^= 1;
        next_step += kTile;  // what comes behind this one
        if (next_step == k) {
          next_step = 0;
          next_j += kTile;
          if (next_j == n) {
            next_j = 0;
            next_i += kTile;
          }
        }
        if (next_i < m)
          loaded =
              unit.load(shared.a[buffer], a.at(next_i, next_step), shared.b[buffer], b.at(next_step, next_j));
      }
      (void)unit.store(c.at(i, j), sums);
    }
  }
  unit.wait();
}

int main() { return run(1, drive); }
