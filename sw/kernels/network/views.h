// SPDX-License-Identifier: Apache-2.0
// Operands as strided views, and how warps share out an iteration space: in items, each of which is a piece of a row (the
// innermost dimension). Lanes of a warp go along a row side by side.
#pragma once

#include <arguments.h>
#include <spica/group.h>
#include <spica/network.h>

#include "sw/kernels/gemm_common/machine.h"
#include "sw/kernels/network/functions.h"

namespace network {

using spica::NetworkArguments;

constexpr unsigned kLanes = MACHINE_LANES;
constexpr unsigned kRank = spica::NETWORK_RANK, kInner = kRank - 1;
/// Threads of a work group: eight warps.
constexpr unsigned kThreads = 8 * kLanes;

#define NETWORK_BODY __attribute__((always_inline))

/// Number of this warp in the grid, and how many there are.
SIMT_INLINE unsigned grid_warp() {
  const spica::Index3 block = spica::block_index(), grid = spica::grid_extent();
  return ((block.z * grid.y + block.y) * grid.x + block.x) * spica::group_warps() + spica::group_rank();
}
SIMT_INLINE unsigned grid_warps() {
  const spica::Index3 grid = spica::grid_extent();
  return grid.x * grid.y * grid.z * spica::group_warps();
}

/// Rows of the iteration space: the product of all extents but the innermost one.
SIMT_INLINE unsigned rows_of(const NetworkArguments* p) {
  unsigned rows = 1;
  NETWORK_UNROLLED
  for (unsigned d = 0; d < kInner; ++d) rows *= p->extents[d];
  return rows;
}

/// Offsets of row `row` of the first `dims` dimensions, in elements of the first `count` operands, added to `offset`.
template <unsigned dims, unsigned count>
SIMT_INLINE void locate(const NetworkArguments* p, unsigned row, uint32_t (&offset)[count]) {
  for (unsigned d = dims; row != 0;) {
    --d;
    const unsigned extent = p->extents[d], rest = row / extent, index = row - rest * extent;
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i) offset[i] += static_cast<uint32_t>(p->strides[i][d]) * index;
    row = rest;
  }
}

}  // namespace network
