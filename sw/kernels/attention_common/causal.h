// SPDX-License-Identifier: Apache-2.0
// Causal attention (-DATTENTION_CAUSAL): a query sees the keys up to its own number. Tiles of keys behind the last of a
// block of queries are not loaded; in those across the diagonal, scores of keys behind the query are made so small that
// their weight is exp(-87), the least that the exponential gives. For that the exponential must be one: the polynomial
// is not.
#pragma once

#include <float_bits.h>

#include "sw/kernels/attention_common/online_softmax.h"

namespace attention {

#ifdef ATTENTION_CAUSAL
constexpr bool kCausal = true;
#ifdef ATTENTION_POLYNOMIAL
#error "causal attention needs an exponential that goes to 0"
#endif
#else
constexpr bool kCausal = false;
#endif

/// Tiles of keys that `groups` tiles of queries see together, the first of which begins with number `row`; of `blocks`
/// in all.
ATTENTION_INLINE unsigned blocks_of(unsigned row, unsigned groups, unsigned blocks) {
  return kCausal ? row / kTile + groups : blocks;
}

/// How far the first key of tile `block` is behind the first query of group `group`, of `groups` that see `blocks`
/// tiles of keys; below 0: nothing is masked. (Of the number of the first query nothing is needed, so it takes no
/// register.)
ATTENTION_INLINE int behind_of(unsigned block, unsigned blocks, unsigned group, unsigned groups) {
  return static_cast<int>((block + groups - blocks - group) * kTile);
}

/// The score of a key `behind` places behind its query, which is seen when that is 0 or less. Without a branch: lanes
/// differ.
ATTENTION_INLINE float seen_score(float score, int behind) {
  constexpr unsigned kUnseen = 0xF149F2CAu;  // -1e30, far below all scores
  constexpr unsigned kInfinity = 0x7F800000u;
  const unsigned unseen = simt_hide(static_cast<unsigned>(-behind >> 31));
  return fminf(score, float_from_bits(kInfinity ^ (unseen & (kInfinity ^ kUnseen))));
}

/// Masks the scores of a thread in a tile whose first key is `behind` places behind its first query. Order: as for
/// row_maxima(), which may follow at once.
template <class Order>
ATTENTION_INLINE void mask_scores(unsigned tile, const TilePart& all, int behind) {
  all.each([&](const TilePart& p) __attribute__((always_inline)) {
    const unsigned first = tile + Order::first(p);
    const int of_part =
        behind + static_cast<int>(p.part * 2 * 8) - static_cast<int>(p.row_block * 8 + p.lane);
#pragma GCC unroll 1
    for (unsigned step = 0; step < 8; ++step) {
      const unsigned a = Order::at(first, step), b = a + Order::kNextBlock;
      const int key = of_part + static_cast<int>(Order::key(p, step));
      shared_store(a, seen_score(shared_load(a), key));
      shared_store(b, seen_score(shared_load(b), key + 8));
    }
  });
}

}  // namespace attention
