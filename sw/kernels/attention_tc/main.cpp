// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the tensor cores inside the SIMT cores and the matrix unit's DMA,
// FP32, head dimension 64, built as the published kernel is (kernels flash_attention/kernel.cpp).
// attention_tc_overlapped is the better program. Revision v2 (hexadecile commands, 256 KB of shared
// memory).
//
// Shows: two groups of warps in turn. Group 0 is warps 0 to 3 of each core, group 1 warps 4 to 7; each
// has 64 queries and its own buffers. Between two barriers of all warps (id 7) one group multiplies and
// the other computes the softmax:
//
//   group 0   S 0 | softmax 0, load | P V 0, S 1      | softmax 1, load | ...
//   group 1       | S 0             | softmax 0, load | P V 0, S 1      | ...
//
// A group's pass over 64 keys, barriers with the group's own id:
//   1. S = Q K^T, twice 32 rows: a part of 16 x 8 per warp; barrier; 16 stores per warp to row-major S; barrier; barrier 7;
//   2. softmax, one row per warp: four rounds of six barriers (attention_common/row_softmax.h), P in place of S; barrier;
//   3. its thread 0 loads the next K and this pass's V, one buffer of each, and polls until they are there; barrier; barrier 7;
//   4. O times rescaling, one row per warp, in shared memory; barrier;
//   5. O += P V, twice 32 rows: accumulators from row-major O, and back; barriers as in 1.
//
// Differences that the result needs (docs/deviations.md, D172): operand A of wmma has a row per lane,
// so Q and P have to stand transposed. The published kernel reads them row-major as if they were, which
// gives other products in the same time. Here Q is turned once, and the softmax stores P a second time,
// transposed: all lanes of a warp have words of one row, that is of one word bank, and each of these
// stores takes shared memory's unaligned path, a lane at a time. Thread 0 of group 0 loads Q and the
// first K for both groups: in the published program each group's thread sets the row lengths of the DMA
// for its own, while the other's loads may be under way. What the published program does not do at all
// comes behind the last pass: O is divided and written.
//
// Between the markers, as published: from the unit's configuration to the end of the last pass.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of 64
// below 4096, which is what the command for strides can say; queries a multiple of 128; head dimension
// 64), or a machine without 256 threads in warps of 8.
#include "sw/kernels/attention_common/row_softmax.h"
#include "sw/kernels/attention_common/unit_tiles.h"
#include "sw/kernels/gemm_common/warp_tile.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kPassBarrier = 7;
constexpr unsigned kWarpGroups = 2, kGroupWarps = kWarps / kWarpGroups,
                   kGroupThreads = kThreads / kWarpGroups;
constexpr unsigned kHalf = kTile / 2;  // rows of a tile that the 16 warps of a group have parts of
constexpr unsigned kPlainRowBytes = kTile * kWordBytes;

// Hexadeciles of a group, from its first on: Q and P transposed, K, V, S (and P), Q as loaded, O and
// statistics. Tiles that are multiplied with one another are in different banks (two hexadeciles each).
constexpr unsigned kQueries = 0, kTurnedProbabilities = 1, kKeys = 2, kValues = 3, kScores = 4,
                   kLoadedQueries = 5, kOutput = 6, kStatistics = 7, kTilesOfGroup = 8;

/// A group's tiles. Addresses are opaque: kept out of registers while they are not needed.
struct GroupTiles {
  unsigned group;
  unsigned hexadecile(unsigned tile) const { return group * kTilesOfGroup + tile; }
  unsigned operator[](unsigned tile) const { return tile_address(simt_opaque(hexadecile(tile))); }
};

/// A warp's part of 32 rows of a product, in its accumulators.
class Part : public WarpTile {
 public:
  using WarpTile::WarpTile;
  // Row-major, in shared memory.
  __attribute__((always_inline)) void load(unsigned c) const {
    c +=
        (row_ + tensor_core_row(lane_)) * kPlainRowBytes + (column_ + tensor_core_column(lane_)) * kWordBytes;
    tensor_core_load_c<0>(c, 2 * kPlainRowBytes);
    tensor_core_load_c<1>(c + 8 * kPlainRowBytes, 2 * kPlainRowBytes);
  }
};

/// C = A B, or C += A B: `a` transposed, `b` as the DMA brings it, `c` row-major.
template <bool add>
ATTENTION_INLINE void multiply(unsigned a, unsigned b, unsigned c, const Part& part, const WarpGroup& group) {
#pragma GCC unroll 1
  for (unsigned row = 0; row < kTile; row += kHalf) {
    Part::clear();
    if (add) part.load(c + row * kPlainRowBytes);
    part.multiply<Blocks<kTile>, Blocks<kTile>>(a + row / 8 * kBlockBytes, b);
    group.barrier();
    part.store(c + row * kPlainRowBytes, kPlainRowBytes);
  }
  group.barrier();
}

ATTENTION_INLINE void load_tiles(unsigned a, unsigned b, unsigned stride_a, unsigned stride_b,
                                 unsigned tile_a, unsigned tile_b) {
  matrix_unit_loop_address_ab(kUnit, a, b);
  matrix_unit_h_stride_ab(kUnit, stride_a, stride_b);
  matrix_unit_h_load(kUnit, tile_a, tile_b);
}

/// What thread 0 of group 0 does before the first pass, for both groups.
ATTENTION_INLINE void load_queries(const Operands& operands, unsigned row) {
  configure(operands);
  for (unsigned group = 0; group < kWarpGroups; ++group) {
    const GroupTiles tiles{group};
    load_tiles(operands.q + (row + group * kTile) * kRowBytes, operands.key(0), kHeadDim, operands.sequence,
               tiles.hexadecile(kLoadedQueries), tiles.hexadecile(kKeys));
    poll_until_idle();
  }
  // From here on path A has rows of the transposed K, path B rows of V.
  matrix_unit_config_load(kUnit, 0, operands.sequence * kWordBytes);
  matrix_unit_config_load(kUnit, 1, kRowBytes);
  poll_until_idle();
}

ATTENTION_INLINE void begin_queries(const GroupTiles& tiles, const WarpGroup& group) {
  clear_statistics({tiles[kStatistics]}, group);
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned first = simt_opaque(tiles[kOutput] + PlainRows::first(row, group.lane));
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) shared_store(first + i * PlainRows::kStride, 0.0f);
  }
}

/// Where the transposed copy of a row's probabilities goes.
struct TurnedRow {
  unsigned first;
  __attribute__((always_inline)) void operator()(unsigned i, float probability) const {
    shared_store(first + i * kBlocksInRow * kBlockBytes, probability);
  }
};

ATTENTION_INLINE void softmax(const GroupTiles& tiles, const WarpGroup& group) {
  const unsigned turned = tiles[kTurnedProbabilities];
  softmax_rows<PlainRows>(
      tiles[kScores], tiles[kScores], RowStatistics::kSum, {tiles[kStatistics]}, group, [&](unsigned row) {
        return TurnedRow{
            simt_opaque(turned + row / 8 * kBlockBytes + row % 8 * kWordBytes + group.lane * kVectorBytes)};
      });
  group.barrier();
}

/// O = O * rescaling.
ATTENTION_INLINE void rescale_output(const GroupTiles& tiles, const WarpGroup& group) {
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned o = simt_opaque(tiles[kOutput] + PlainRows::first(row, group.lane));
    const unsigned rescale = simt_opaque(tiles[kStatistics] + row * kWordBytes) + RowStatistics::kRescale;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) {
      const unsigned word = o + i * PlainRows::kStride;
      shared_store(word, shared_load(word) * shared_load(rescale));
    }
  }
  group.barrier();
}

ATTENTION_INLINE void write_output(const GroupTiles& tiles, unsigned o, const WarpGroup& group) {
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const float reciprocal = 1.0f / shared_load(tiles[kStatistics] + row * kWordBytes + RowStatistics::kSum);
    const unsigned from = simt_opaque(tiles[kOutput] + PlainRows::first(row, group.lane));
    const unsigned to = simt_opaque(o + row * kRowBytes + group.lane * kWordBytes);
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i)
      shared_store(to + i * kVectorBytes, shared_load(from + i * PlainRows::kStride) * reciprocal);
  }
}

ATTENTION_INLINE void run_pass(const Operands& operands, unsigned block, unsigned blocks, unsigned driver,
                               const GroupTiles& tiles, const Part& part, const WarpGroup& group,
                               unsigned core_warps) {
  multiply<false>(tiles[kQueries], tiles[kKeys], tiles[kScores], part, group);
  simt_barrier(kPassBarrier, core_warps);
  softmax(tiles, group.opaque());
  SIMT_IF(driver)
    load_tiles(operands.key(block + 1 < blocks ? block + 1 : 0), operands.value(block), operands.sequence,
               kHeadDim, tiles.hexadecile(kKeys), tiles.hexadecile(kValues));
    poll_until_idle();
  SIMT_END_IF
  group.barrier();
  simt_barrier(kPassBarrier, core_warps);
  rescale_output(tiles, group.opaque());
  multiply<true>(tiles[kTurnedProbabilities], tiles[kValues], tiles[kOutput], part, group);
}

static void kernel(unsigned thread, void*) {
  const Operands operands(arguments);
  const unsigned blocks = operands.sequence / kTile, queries = queries_of(arguments),
                 core_warps = simt_warps();
  const unsigned number = thread / kGroupThreads, of_group = thread % kGroupThreads, driver = of_group == 0;
  const GroupTiles tiles{number};
  const WarpGroup group{of_group % kWarpLanes, of_group / kWarpLanes, kGroupWarps, number,
                        core_warps / kWarpGroups};
  const Part part(of_group);
#pragma GCC unroll 1
  for (unsigned row = 0; row < queries; row += kWarpGroups * kTile) {
    begin_queries(tiles, group);
    if (number == 1) simt_barrier(kPassBarrier, core_warps);  // the same for all lanes of a warp
    MARK_BEG();
    if (number == 0) {
      SIMT_IF(driver)
        load_queries(operands, row);
      SIMT_END_IF
    }
    group.barrier();
    for (unsigned i = 0; i < 2; ++i)
      turn_queries(TilePart(of_group + i * kGroupThreads), tiles[kLoadedQueries], tiles[kQueries]);
    group.barrier();
#pragma GCC unroll 1
    for (unsigned block = 0; block < blocks; ++block)
      run_pass(operands, block, blocks, driver, tiles, part, group, core_warps);
    if (number == 0) simt_barrier(kPassBarrier, core_warps);  // the one that group 1 is behind
    MARK_END();
    write_output(tiles, operands.o + (row + number * kTile) * kRowBytes, group);
    group.barrier();
  }
}

static int run() {
  if (!fits(arguments, kWarpGroups * kTile) || arguments.sequence > MATRIX_UNIT_H_STRIDE_MASK) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}

}  // namespace attention

int main() { return attention::run(); }
