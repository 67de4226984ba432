// SPDX-License-Identifier: Apache-2.0
// The activation of the fused kernels as the published ones have it: in global memory, element by
// element, a part of 16 x 8 per warp and tile, a column per lane.
//
// A tile is activated two tiles after it was computed: at the barrier of a tile only the stores of the tile
// before are known to be done.
#pragma once

#include <math.h>
#include <simt.h>

struct SwishPart {
  static constexpr unsigned kRows = 16, kColumns = 8, kBytes = sizeof(float);

  unsigned c, row_bytes;  // address of the matrix, from one row to the next
  unsigned row, column;   // of the part in its tile

  // For the tile that begins in that row and column.
  __attribute__((always_inline)) void activate(unsigned tile_row, unsigned tile_column) const {
    unsigned at = c + (tile_row + row) * row_bytes + (tile_column + column + simt_lane()) * kBytes;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kRows; ++i, at += row_bytes) {
      auto* const element = reinterpret_cast<volatile float*>(at);
      const float x = *element;
      *element = x / (1.0f + expf(-x));
    }
  }
};

// The output tiles in their order.
template <unsigned rows, unsigned columns>
struct TilePosition {
  unsigned row = 0, column = 0;
  void next(unsigned n) {
    column += columns;
    if (column == n) {
      column = 0;
      row += rows;
    }
  }
};
