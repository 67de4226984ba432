// SPDX-License-Identifier: Apache-2.0
// Online softmax as the published attention kernels compute it (kernels
// flash_attention/flash_impl.hpp): one row of 64 scores per warp, eight of them per lane; what lanes
// need from each other goes through shared memory, lane 0 alone adds eight partial values up, one after
// the other, and six fence + barrier pairs separate the steps.
//
// Differences from the published source, which make the result attention (docs/deviations.md, D171):
// scores are scaled by 1 / sqrt(d); the factor of the sum is exp(old maximum - new maximum), the
// published one subtracts the maximum of the tile alone; the factor of the output is 1 / exp(new -
// old), the published one has the sign the other way; and with the exact exponential the first maximum
// is far below all scores, the published one is the smallest positive number. Everything is in
// namespace attention.
#pragma once

#include "sw/kernels/attention_common/causal.h"
#include "sw/kernels/attention_common/online_softmax.h"

namespace attention {

/// exp() of differences that are 0 or positive.
ATTENTION_INLINE float growth_exponential(float x) {
#ifdef ATTENTION_POLYNOMIAL
  return exponential_taylor2(x);
#else
  return exponential_exact(x);
#endif
}

/// The same value, of which the compiler knows nothing.
ATTENTION_INLINE float opaque_float(float value) {
#ifdef __riscv
  __asm__ volatile("" : "+f"(value));
#endif
  return value;
}

/// Where maxima begin.
#ifdef ATTENTION_POLYNOMIAL
constexpr float kFirstMaximum = 0x1p-126f;
#else
constexpr float kFirstMaximum = -1e30f;
#endif

/// Statistics of 64 rows in shared memory, a word per row each, and eight words for each warp that
/// works on them.
struct RowStatistics {
  unsigned base;
  static constexpr unsigned kMaximum = 0, kTileMaximum = kTile * kWordBytes, kRescale = 2 * kTileMaximum,
                            kSum = 3 * kTileMaximum, kPartials = 4 * kTileMaximum;
  static constexpr unsigned bytes(unsigned warps) { return kPartials + warps * kVectorBytes; }
};

/// A group of warps that works on a tile, and the barrier that is its own.
struct WarpGroup {
  unsigned lane, warp;  // warp: number in the group
  unsigned warps;  // in the group
  unsigned barrier_id, barrier_warps;  // barrier_warps: of a core
  __attribute__((always_inline)) void barrier() const { simt_barrier(barrier_id, barrier_warps); }
  /// The same, of which the compiler knows nothing: what it makes of it is made anew, not kept on the
  /// stack.
  __attribute__((always_inline)) WarpGroup opaque() const {
    return {simt_opaque(lane), simt_opaque(warp), warps, barrier_id, barrier_warps};
  }
};

/// A row's words of one lane are `kStride` bytes apart from `first` on; eight lanes have one line of
/// shared memory.
struct BlockRows {  // the matrix unit's order, blocks of 8 x 8
  static constexpr unsigned kStride = kBlockBytes;
  static unsigned first(unsigned row, unsigned lane) {
    return row / 8 * kBlocksInRow * kBlockBytes + row % 8 * kVectorBytes + lane * kWordBytes;
  }
};
struct PlainRows {  // 64 contiguous words
  static constexpr unsigned kStride = kVectorBytes;
  static unsigned first(unsigned row, unsigned lane) { return row * kTile * kWordBytes + lane * kWordBytes; }
};
constexpr unsigned kWordsOfLane = kTile / kWarpLanes;

ATTENTION_INLINE void clear_statistics(const RowStatistics& statistics, const WarpGroup& group) {
  if (group.warp >= kTile / kWarpLanes) return;  // the same for all lanes of a warp
  const unsigned row = simt_opaque(statistics.base + (group.warp * kWarpLanes + group.lane) * kWordBytes);
  shared_store(row + RowStatistics::kMaximum, kFirstMaximum);
  shared_store(row + RowStatistics::kTileMaximum, kFirstMaximum);
  shared_store(row + RowStatistics::kRescale, 0.0f);
  shared_store(row + RowStatistics::kSum, 0.0f);
}

/// Sums or maxima of the lanes that lane 0 takes together, after a barrier behind the stores of the
/// others.
template <class Combine>
ATTENTION_INLINE float combine_partials(unsigned partials, float own, Combine combine) {
#pragma GCC unroll 1
  for (unsigned i = 1; i < kWarpLanes; ++i) own = combine(own, shared_load(partials + i * kWordBytes));
  return own;
}

/// Scores of one row at `s` become probabilities at `p`: the addresses of the lane's first words, with those of Layout
/// behind them. `row`: address of the row's first statistic, `sum`: where its sum is kept. `copy` is called with the
/// number of each of the lane's words and its probability, and at its end(), when no warp reads scores or probabilities
/// of this round any more.
template <class Layout, class Copy>
ATTENTION_INLINE void softmax_row(unsigned s, unsigned p, unsigned row, unsigned sum, unsigned partials,
                                  const WarpGroup& group, Copy copy) {
  const unsigned lane_zero = group.lane == 0;

  float maximum = kFirstMaximum;
#pragma GCC unroll 8
  for (unsigned i = 0; i < kWordsOfLane; ++i) maximum = fmaxf(maximum, shared_load(s + i * Layout::kStride));
  shared_store(partials + group.lane * kWordBytes, maximum);
  group.barrier();
  SIMT_IF(lane_zero)
    maximum = combine_partials(partials, maximum, [](float a, float b) { return fmaxf(a, b); });
    shared_store(row + RowStatistics::kTileMaximum, maximum);
    const float before = shared_load(row + RowStatistics::kMaximum);
    shared_store(partials, before);
    shared_store(row + RowStatistics::kMaximum, fmaxf(maximum, before));
  SIMT_END_IF
  group.barrier();
  const float before = shared_load(partials), now = shared_load(row + RowStatistics::kMaximum);

  const float origin = now * kScoreScale;
#pragma GCC unroll 8
  for (unsigned i = 0; i < kWordsOfLane; ++i) {
    const float score = fmaf(shared_load(s + i * Layout::kStride), kScoreScale, -origin);
    const float probability = softmax_exponential(score);
    shared_store(p + i * Layout::kStride, probability);
    copy(i, probability);
  }
  group.barrier();

  float total = 0;
#pragma GCC unroll 8
  for (unsigned i = 0; i < kWordsOfLane; ++i) total += shared_load(p + i * Layout::kStride);
  shared_store(partials + group.lane * kWordBytes, total);
  group.barrier();
  SIMT_IF(lane_zero)
    total = combine_partials(partials, total, [](float a, float b) { return a + b; });
    const float factor = softmax_exponential((before - now) * kScoreScale);
    shared_store(sum, fmaf(factor, shared_load(sum), total));
  SIMT_END_IF
  group.barrier();
  copy.end();

  // All lanes, and once per word of theirs: the published kernel does not keep the quotient either.
  const float growth = growth_exponential((now - before) * kScoreScale);
#pragma GCC unroll 8
  for (unsigned i = 0; i < kWordsOfLane; ++i)
    shared_store(row + RowStatistics::kRescale, 1.0f / opaque_float(growth));
  group.barrier();
}

/// A round for each `group.warps` rows of the tiles at `s` and `p`. `sums`: kSum, or another place for
/// them from statistics.base on. Addresses are opaque: the compiler would keep one for each word, and
/// spill them. `copy_of`: makes what softmax_row() calls for a row.
template <class Layout, class CopyOf>
ATTENTION_INLINE void softmax_rows(unsigned s, unsigned p, unsigned sums, const RowStatistics& statistics,
                                   const WarpGroup& group, CopyOf copy_of) {
  const unsigned partials =
      simt_opaque(statistics.base + RowStatistics::kPartials + group.warp * kVectorBytes);
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned first = Layout::first(row, group.lane);
    const unsigned statistic = simt_opaque(statistics.base + row * kWordBytes);
    softmax_row<Layout>(simt_opaque(s + first), simt_opaque(p + first), statistic,
                        simt_opaque(statistic + sums), partials, group, copy_of(row));
  }
}

/// Masks the scores at `s` that the queries do not see, before softmax_rows(), with the same rows and words of a lane.
/// `behind`: as behind_of(). Keys: the key of a lane's word in its row.
template <class Layout, class Keys>
ATTENTION_INLINE void mask_rows(unsigned s, const WarpGroup& group, int behind) {
#pragma GCC unroll 1
  for (unsigned row = group.warp; row < kTile; row += group.warps) {
    const unsigned first = simt_opaque(s + Layout::first(row, group.lane));
    const int of_row = behind - static_cast<int>(row);
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWordsOfLane; ++i)
      shared_store(first + i * Layout::kStride,
                   seen_score(shared_load(first + i * Layout::kStride),
                              of_row + static_cast<int>(Keys::key(i, group.lane))));
  }
}
struct PlainKeys {  // a line has eight consecutive keys
  static unsigned key(unsigned i, unsigned lane) { return i * kWarpLanes + lane; }
};

struct NoCopy {
  __attribute__((always_inline)) void operator()(unsigned, float) const {}
  __attribute__((always_inline)) void end() const {}
};

}  // namespace attention
