// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the cluster's matrix unit, FP32, head dimension 64, built as the
// published kernel is (kernels flash_attention/kernel.gemmini.cpp, without warp specialisation).
// attention_virgo_overlapped is the better program. Revision v2 (hexadecile commands, 256 KB of shared
// memory).
//
// Shows: a software pipeline over tiles of 64 queries x 64 keys. In pass p the unit computes P V of
// tile p - 2 and the scores S = Q K^T of tile p, the DMA loads K of tile p + 1 and V of tile p - 1, and
// all 32 warps compute the softmax of tile p - 1 (attention_common/row_softmax.h):
//
//   unit    PV 0, S 2   | PV 1, S 3   | PV 2, S 4
//   DMA     K 3, V 1    | K 4, V 2    | K 5, V 3
//   warps   softmax 1   | softmax 2   | softmax 3
//
// A pass: barrier 7; all threads of all warps poll the unit until it is idle; thread 0 gives the
// commands; barrier 0; softmax in two rounds of six barriers; barrier; all threads poll until at most
// two loops run (P V is through); output times rescaling; two barriers. Nothing overlaps with the poll
// at the head but the unit.
//
// Tiles with an even number belong to one block of 64 queries, those with an odd number to the next, so
// 2 n + 2 passes (n = sequence / 64) treat 128 queries. The published program runs as many passes on
// one block of queries and goes past the end of K and V in the second half; each pass does the same
// here and there. Its P V product overwrites the output instead of being added, and it writes no
// result: here each product has a tile of its own, which the warps add when they rescale (one load and
// one addition more per word), and behind the last pass O is divided and written. Passes 2 n and 2 n +
// 1 compute scores that are not used; they read the first keys again, and their sums go nowhere.
// docs/deviations.md, D170 and D171.
//
// Between the markers: from the unit's configuration, in front of the first load, to the last result in memory; with
// PUBLISHED_REGION, as published, to the end of the last pass.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of 64
// below 4096, which is what the command for strides can say; queries a multiple of 128; head dimension
// 64), or a machine without 256 threads in warps of 8.
#include "sw/kernels/attention_common/row_softmax.h"
#include "sw/kernels/attention_common/unit_tiles.h"
#include "sw/kernels/gemm_common/timed_region.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kPassBarrier = 7;
constexpr unsigned kBlocksOfQueries = 2;

// Hexadeciles, by the parity of a tile's number. Tiles of one product are in different banks (two
// hexadeciles each).
constexpr unsigned query_tile(unsigned parity) { return parity * 4; }
constexpr unsigned key_tile(unsigned parity) { return 8 + parity * 4; }
constexpr unsigned value_tile(unsigned parity) { return 1 + parity * 4; }
constexpr unsigned score_tile(unsigned parity) { return 6 - parity * 4; }
constexpr unsigned probability_tile(unsigned parity) { return 9 + parity * 4; }
constexpr unsigned product_tile(unsigned parity) { return 14 - parity * 4; }
constexpr unsigned output_tile(unsigned parity) { return 3 + parity * 4; }
constexpr unsigned kStatistics = 11;
constexpr unsigned kStatisticsBytes = RowStatistics::bytes(kWarps);
// Where sums of a tile behind the last go, from the first block's statistics on.
constexpr unsigned kUnownedSums = kBlocksOfQueries * kStatisticsBytes + RowStatistics::kSum;
static_assert((kBlocksOfQueries + 1) * kStatisticsBytes <= kTileBytes);

// Opaque: kept out of registers while it is not needed.
ATTENTION_INLINE unsigned place(unsigned tile) { return tile_address(simt_opaque(tile)); }
ATTENTION_INLINE RowStatistics statistics_of(unsigned parity) {
  return {place(kStatistics) + parity * kStatisticsBytes};
}
ATTENTION_INLINE void load_tiles(unsigned a, unsigned b, unsigned stride_a, unsigned stride_b,
                                 unsigned tile_a, unsigned tile_b) {
  matrix_unit_loop_address_ab(kUnit, a, b);
  matrix_unit_h_stride_ab(kUnit, stride_a, stride_b);
  matrix_unit_h_load(kUnit, tile_a, tile_b);
}

/// Zeros in a tile; the words of a lane are those of its rows.
ATTENTION_INLINE void clear_rows(unsigned tile, const WarpGroup& group) {
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned first = simt_opaque(tile + BlockRows::first(row, group.lane));
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) shared_store(first + i * BlockRows::kStride, 0.0f);
  }
}

ATTENTION_INLINE void begin_queries(const WarpGroup& all) {
  clear_statistics(statistics_of(kBlocksOfQueries), all);  // not used
  for (unsigned parity = 0; parity < kBlocksOfQueries; ++parity) {
    clear_statistics(statistics_of(parity), all);
    clear_rows(place(output_tile(parity)), all);
    clear_rows(place(product_tile(parity)), all);
  }
}

/// O = (O + P V of the tile before) * rescaling.
ATTENTION_INLINE void rescale_output(unsigned output, unsigned product, const RowStatistics& statistics,
                                     const WarpGroup& all) {
#pragma GCC unroll 1
  for (unsigned row = all.warp; row < kTile; row += all.warps) {
    const unsigned first = BlockRows::first(row, all.lane);
    const unsigned sum = simt_opaque(output + first), summand = simt_opaque(product + first);
    const unsigned rescale = simt_opaque(statistics.base + row * kWordBytes) + RowStatistics::kRescale;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) {
      const unsigned word = i * BlockRows::kStride;
      shared_store(sum + word,
                   (shared_load(sum + word) + shared_load(summand + word)) * shared_load(rescale));
    }
  }
}

/// O of one block of queries, complete but for the product that is still to be added, to global memory.
ATTENTION_INLINE void write_output(unsigned output, unsigned product, unsigned sums, unsigned o,
                                   const WarpGroup& all) {
#pragma GCC unroll 1
  for (unsigned row = all.warp; row < kTile; row += all.warps) {
    const float reciprocal = 1.0f / shared_load(sums + row * kWordBytes);
    const unsigned first = BlockRows::first(row, all.lane);
    const unsigned sum = simt_opaque(output + first), summand = simt_opaque(product + first);
    const unsigned to = simt_opaque(o + row * kOutputRowBytes + all.lane * kWordBytes);
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) {
      const unsigned word = i * BlockRows::kStride;
      shared_store(to + i * kVectorBytes,
                   (shared_load(sum + word) + shared_load(summand + word)) * reciprocal);
    }
  }
}

/// What thread 0 does before the first pass: K of the first tile comes with each block of queries.
ATTENTION_INLINE void load_queries(const Operands& operands, unsigned row) {
  configure(operands);
  for (unsigned parity = 0; parity < kBlocksOfQueries; ++parity) {
    load_tiles(operands.q + (row + parity * kTile) * kRowBytes, operands.key(0), kHeadDim, operands.sequence,
               query_tile(parity), key_tile(parity));
    poll_until_idle();
  }
  // From here on path A has rows of the transposed K, path B rows of V.
  matrix_unit_config_load(kUnit, 0, operands.sequence * kWordBytes);
  matrix_unit_config_load(kUnit, 1, kRowBytes);
  poll_until_idle();
}

/// And at the head of a pass.
ATTENTION_INLINE void give_commands(const Operands& operands, unsigned pass, unsigned blocks) {
  const unsigned parity = simt_opaque(pass & 1), other = parity ^ 1;
  if (pass >= 2)
    matrix_unit_cisc(kUnit,
                     multiply_command(probability_tile(parity), value_tile(parity), product_tile(parity)));
  matrix_unit_cisc(kUnit, multiply_command(query_tile(parity), key_tile(parity), score_tile(other)));
  if (pass == 0) return;
  const unsigned key = (pass + 1) / 2, value = (pass - 1) / 2;
  load_tiles(operands.key(key < blocks ? key : 0), operands.value(value < blocks ? value : 0),
             operands.sequence, kHeadDim, key_tile(other), value_tile(other));
}

ATTENTION_INLINE void run_pass(const Operands& operands, unsigned pass, unsigned blocks, unsigned driver,
                               const WarpGroup& warps) {
  const WarpGroup all = warps.opaque();
  simt_barrier(kPassBarrier, all.barrier_warps);
  poll_until_idle();
  SIMT_IF(driver)
    give_commands(operands, pass, blocks);
  SIMT_END_IF
  all.barrier();
  if (pass >= 1) {
    const unsigned other = simt_opaque((pass & 1) ^ 1);  // the parity of the tile before
    const RowStatistics statistics = statistics_of(other);
    if constexpr (kCausal) {
      const unsigned block =
          (pass - 1) / 2 < blocks ? (pass - 1) / 2 : 0;  // behind the last is the first again
      const int behind = behind_of(block, blocks, other, kBlocksOfQueries);
      if (behind >= 0) mask_rows<BlockRows, PlainKeys>(place(score_tile(other ^ 1)), all.opaque(), behind);
    }
    softmax_rows<BlockRows>(place(score_tile(other ^ 1)), place(probability_tile(other)),
                            pass <= 2 * blocks ? RowStatistics::kSum : kUnownedSums, statistics, all,
                            [](unsigned) { return NoCopy(); });
    all.barrier();
    poll_until_loops(2);
    rescale_output(place(output_tile(other)), place(product_tile(other)), statistics, all.opaque());
    all.barrier();
  }
  all.barrier();
}

static void kernel(unsigned thread, void*) {
  const Operands operands(arguments);
  const unsigned driver = thread == 0, all_blocks = operands.sequence / kTile,
                 queries = queries_of(arguments);
  const WarpGroup all{thread % kWarpLanes, thread / kWarpLanes, kWarps, 0, simt_warps()};
  simt_units(queries, kBlocksOfQueries * kTile);
#pragma GCC unroll 1
  for (unsigned row = 0; row < queries; row += kBlocksOfQueries * kTile) {
    row = simt_unit(row, kBlocksOfQueries * kTile);
    const unsigned blocks = blocks_of(row, kBlocksOfQueries, all_blocks);
    begin_queries(all);
    simt_barrier(kPassBarrier, all.barrier_warps);
    MARK_BEG();
    SIMT_IF(driver)
      load_queries(operands, row);
    SIMT_END_IF
    simt_barrier(kPassBarrier, all.barrier_warps);
#pragma GCC unroll 1
    for (unsigned pass = 0; pass < 2 * blocks + 2; ++pass) run_pass(operands, pass, blocks, driver, all);
#ifdef PUBLISHED_REGION
    MARK_END();
#endif

    poll_until_idle();
    simt_barrier(kPassBarrier, all.barrier_warps);
    // The last product of the first block has been added in the last pass; what is now in its place
    // is 0.
    clear_rows(place(product_tile(0)), all);
    for (unsigned parity = 0; parity < kBlocksOfQueries; ++parity)
      write_output(place(output_tile(parity)), place(product_tile(parity)),
                   statistics_of(parity).base + RowStatistics::kSum,
                   operands.o + (row + parity * kTile) * kOutputRowBytes, all);
    simt_barrier(kPassBarrier, all.barrier_warps);
#ifndef PUBLISHED_REGION
    MARK_END();
#endif
  }
}

static int run() {
  if (!fits(arguments, kBlocksOfQueries * kTile) || arguments.sequence > MATRIX_UNIT_H_STRIDE_MASK) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}

}  // namespace attention

ATTENTION_MAIN(attention::arguments) { return attention::run(); }
