// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the tensor cores inside the SIMT cores and the matrix unit's DMA,
// FP32, head dimension 64, built as the published kernel is (kernels flash_attention/kernel.cpp).
// attention_tc_overlapped is the better program. Revision v2 (hexadecile commands, 256 KB of shared
// memory). With -DGEMM_FP16 (attention_fp16_tc) for FP16 operands, which is unpublished, in the same structure:
// eight cores, 128 KB. fp32.h and fp16.h have what differs.
//
// Shows: two groups of warps in turn. Group 0 is warps 0 to 3 of each core, group 1 warps 4 to 7; each
// has 64 queries and its own buffers. Between two barriers of all warps (id 7) one group multiplies and
// the other computes the softmax:
//
//   group 0   S 0 | softmax 0, load | P V 0, S 1      | softmax 1, load | ...
//   group 1       | S 0             | softmax 0, load | P V 0, S 1      | ...
//
// A group's pass over 64 keys, barriers with the group's own id:
//   1. S = Q K^T, twice 32 rows (FP16: 64 at once): a part of 16 x 8 per warp; barrier; 16 stores per warp to row-major
//      S; barrier; barrier 7;
//   2. softmax, one row per warp: four (FP16: two) rounds of six barriers (attention_common/row_softmax.h), P in place
//      of S; barrier;
//   3. its thread 0 loads the next K and this pass's V, one buffer of each, and polls until they are there; barrier;
//      barrier 7;
//   4. O times rescaling, one row per warp, in shared memory; barrier;
//   5. O += P V, twice 32 rows: accumulators from row-major O, and back; barriers as in 1.
//
// Differences that the result needs (docs/deviations.md, D172): operand A of wmma has a row per lane,
// so Q and P have to be transposed. The published kernel reads them row-major as if they were, which
// gives other products in the same time. Here Q is turned once, and the softmax stores P a second time,
// transposed: all lanes of a warp have words of one row, that is of one word bank, and each of these
// stores takes shared memory's unaligned path, a lane at a time. Thread 0 of group 0 loads Q and the
// first K for both groups: in the published program each group's thread sets the row lengths of the DMA
// for its own, while the other's loads may be under way. What the published program does not do at all
// comes behind the last pass: O is divided and written.
//
// Between the markers: from the unit's configuration, in front of the first load, to the last result in memory; with
// PUBLISHED_REGION, as published, to the end of the last pass.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of 64
// below 4096, which is what the command for strides can say; queries a multiple of 128; head dimension
// 64), or a machine without 256 (FP16: 512) threads in warps of 8. FP16: operands in the order of gemm_fp16_ampere.
#ifdef GEMM_FP16
#include "sw/kernels/attention_tc/fp16.h"
#else
#include "sw/kernels/attention_tc/fp32.h"
#endif
#include "sw/kernels/gemm_common/timed_region.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kPassBarrier = 7;

/// C = A B, or O += P V: `a` and `b` as their layouts say, `c` row-major. As many rows at a time as the group's warps
/// have parts of.
template <class LayoutA, class LayoutB, bool output>
ATTENTION_INLINE void multiply(unsigned a, unsigned b, unsigned c, const Part& part, const WarpGroup& group) {
  constexpr unsigned kRows = kGroupWarps / (kTile / kPartColumns) * kPartRows;
#pragma GCC unroll 1
  for (unsigned row = 0; row < kTile; row += kRows) {
    Part::clear();
    if (output) part.load(c + row * kPlainRowBytes);
    // Parts of more than one panel at a time begin at a panel.
    const unsigned skipped = kRows < kTile && kRows > LayoutA::kPanelRows
                                 ? row / LayoutA::kPanelRows * LayoutA::kPanel
                                 : row / 8 * LayoutA::kEight;
    part.multiply<LayoutA, LayoutB, kProductWords>(a + skipped, b);
    group.barrier();
    if (output) part.store(c + row * kPlainRowBytes, kPlainRowBytes);
    else part.store_scores(c + row * kPlainRowBytes);
  }
  group.barrier();
}

ATTENTION_INLINE void begin_queries(const GroupTiles& tiles, const WarpGroup& group) {
  clear_statistics({tiles[kStatistics]}, group);
  const unsigned output = tiles[kOutput];
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned first = simt_opaque(output + PlainRows::first(row, group.lane));
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) shared_store(first + i * PlainRows::kStride, 0.0f);
  }
}

ATTENTION_INLINE void softmax(const GroupTiles& tiles, const WarpGroup& group) {
  const unsigned probabilities = tiles[kProbabilities];
  softmax_rows<PlainRows>(tiles[kScores], tiles[kScores], RowStatistics::kSum, {tiles[kStatistics]}, group,
                          [&](unsigned row) { return ProbabilityRow(probabilities, row, group.lane); });
  group.barrier();
}

/// O = O * rescaling.
ATTENTION_INLINE void rescale_output(const GroupTiles& tiles, const WarpGroup& group) {
  const unsigned output = tiles[kOutput], statistics = tiles[kStatistics];
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned o = simt_opaque(output + PlainRows::first(row, group.lane));
    const unsigned rescale = simt_opaque(statistics + row * kWordBytes) + RowStatistics::kRescale;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i) {
      const unsigned word = o + i * PlainRows::kStride;
      shared_store(word, shared_load(word) * shared_load(rescale));
    }
  }
  group.barrier();
}

ATTENTION_INLINE void write_output(const GroupTiles& tiles, unsigned o, const WarpGroup& group) {
  const unsigned output = tiles[kOutput], statistics = tiles[kStatistics];
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const float reciprocal = 1.0f / shared_load(statistics + row * kWordBytes + RowStatistics::kSum);
    const unsigned from = simt_opaque(output + PlainRows::first(row, group.lane));
    const unsigned to = simt_opaque(o + row * kOutputRowBytes + group.lane * kWordBytes);
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i)
      shared_store(to + i * kVectorBytes, shared_load(from + i * PlainRows::kStride) * reciprocal);
  }
}

ATTENTION_INLINE void run_pass(const Loads& loads, unsigned block, unsigned blocks, unsigned driver,
                               const GroupTiles& tiles, const Part& part, const WarpGroup& group,
                               unsigned core_warps) {
  multiply<QueryLayout, KeyLayout, false>(tiles[kQueries], tiles[kKeys], tiles[kScores], part, group);
  simt_barrier(kPassBarrier, core_warps);
  if constexpr (kCausal) {
    const int behind = behind_of(block, blocks, tiles.group, kWarpGroups);
    if (behind >= 0) mask_rows<PlainRows, ScoreKeys>(tiles[kScores], group.opaque(), behind);
  }
  softmax(tiles, group.opaque());
  SIMT_IF(driver)
    loads.keys_and_values(block + 1 < blocks ? block + 1 : 0, block, tiles);
    poll_until_idle();
  SIMT_END_IF
  group.barrier();
  simt_barrier(kPassBarrier, core_warps);
  rescale_output(tiles, group.opaque());
  multiply<ProbabilityLayout, ValueLayout, true>(tiles[kProbabilities], tiles[kValues], tiles[kOutput], part,
                                                 group);
}

static void kernel(unsigned thread, void*) {
  const Loads loads(arguments);
  const unsigned all_blocks = loads.sequence / kTile, o = static_cast<unsigned>(arguments.o),
                 queries = queries_of(arguments), core_warps = simt_warps();
  const unsigned number = thread / kGroupThreads, of_group = thread % kGroupThreads, driver = of_group == 0;
  const GroupTiles tiles{number};
  const WarpGroup group{of_group % kWarpLanes, of_group / kWarpLanes, kGroupWarps, number,
                        core_warps / kWarpGroups};
  const Part part(of_group);
  simt_units(queries, kWarpGroups * kTile);
#pragma GCC unroll 1
  for (unsigned row = 0; row < queries; row += kWarpGroups * kTile) {
    row = simt_unit(row, kWarpGroups * kTile);
    const unsigned blocks = blocks_of(row, kWarpGroups, all_blocks);
    begin_queries(tiles, group);
    if (number == 1) simt_barrier(kPassBarrier, core_warps);  // the same for all lanes of a warp
    MARK_BEG();
    if (number == 0) {
      SIMT_IF(driver)
        loads.queries(row);
      SIMT_END_IF
    }
    group.barrier();
    arrange_queries(of_group, tiles, group);
#pragma GCC unroll 1
    for (unsigned block = 0; block < blocks; ++block)
      run_pass(loads, block, blocks, driver, tiles, part, group, core_warps);
    if (number == 0) simt_barrier(kPassBarrier, core_warps);  // the one that group 1 is behind
#ifdef PUBLISHED_REGION
    MARK_END();
#endif
    write_output(tiles, o + (row + number * kTile) * kOutputRowBytes, group);
    group.barrier();
#ifndef PUBLISHED_REGION
    MARK_END();
#endif
  }
}

static int run() {
  if (!fits(arguments, kWarpGroups * kTile) || arguments.sequence > kLongest) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}

}  // namespace attention

ATTENTION_MAIN(attention::arguments) { return attention::run(); }
