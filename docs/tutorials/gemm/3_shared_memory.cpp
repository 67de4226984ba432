// SPDX-License-Identifier: Apache-2.0
// All threads compute tiles of 64 x 64 together. A block of B lies in shared memory; a lane has 4 x 4 sums in registers,
// its columns 8 apart, so that the lanes of a warp load words that lie side by side.
#include <math.h>

#include "gemm.h"

constexpr unsigned kTile = 64, kRows = 4, kColumns = 4, kLanes = 8;

struct Shared {
  float b[kTile][kTile];
};

static void task(unsigned thread, void* argument) {
  const auto& [a, b, c, m, n, k] = *static_cast<const Product*>(argument);
  auto& shared = spica::shared<Shared>();
  const spica::Threads all{thread, spica::threads()};
  const unsigned part = simt_uniform(thread / kLanes);  // a warp has 4 rows and 32 columns of the tile
  const unsigned row = part / 2 * kRows, column = part % 2 * kColumns * kLanes + thread % kLanes;

  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      float sums[kRows][kColumns] = {};
      for (unsigned step = 0; step < k; step += kTile) {
        spica::copy<kTile, kTile>(all, spica::Matrix<float>{shared.b[0], kTile}, b.at(step, j));
        spica::barrier();
        for (unsigned at = 0; at < kTile; ++at) {
          float left[kRows], right[kColumns];
          for (unsigned r = 0; r < kRows; ++r) left[r] = a(i + row + r, step + at);
          for (unsigned s = 0; s < kColumns; ++s) right[s] = shared.b[at][column + s * kLanes];
          for (unsigned r = 0; r < kRows; ++r)
            for (unsigned s = 0; s < kColumns; ++s) sums[r][s] = fmaf(left[r], right[s], sums[r][s]);
        }
        spica::barrier();  // before the next block comes
      }
      for (unsigned r = 0; r < kRows; ++r)
        for (unsigned s = 0; s < kColumns; ++s) c(i + row + r, j + column + s * kLanes) = sums[r][s];
    }
  }
}

int main() { return run(spica::threads(), task); }
