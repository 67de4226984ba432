// SPDX-License-Identifier: Apache-2.0
// Online softmax of score tiles in shared memory, one tile of 64 queries x 64 keys at a time.
//
// A tile is a sequence of blocks of 8 x 8 words. A warp has the queries of one row of blocks and 16
// of their 64 keys (or columns of the output): two blocks. A lane has one query through the whole
// kernel, so nothing ever goes from lane to lane; the four warps that share queries, one in each
// core, exchange maxima and sums through shared memory. What the caller puts between row_maxima()
// and probabilities() must be a barrier.
//
// With m = largest score so far and s = sum of exp((score - m) / sqrt(d)) so far, a new tile makes
//   m' = max(m, scores)    rescale = exp((m - m') / sqrt(d))
//   s' = s * rescale + sum of P    P = exp((score - m') / sqrt(d))
// and the caller owes O' = O * rescale + P V. Everything is in namespace attention.
#pragma once

#include <exponential.h>

#include "sw/kernels/attention_common/attention_arguments.h"

namespace attention {

#define ATTENTION_INLINE __attribute__((always_inline)) static inline

/// The exponential of the softmax, chosen when the kernel is compiled.
ATTENTION_INLINE float softmax_exponential(float x) {
#ifdef ATTENTION_POLYNOMIAL
  return exponential_taylor2(x);
#else
  return exponential_negative(x);
#endif
}

constexpr unsigned kTile = 64;
constexpr unsigned kWordBytes = sizeof(float);
constexpr unsigned kBlockBytes = 8 * 8 * kWordBytes;
constexpr unsigned kTileBytes = kTile * kTile * kWordBytes;
constexpr unsigned kBlocksInRow = kTile / 8;
// Warps that share eight queries; with fewer than four a warp has several parts, one after the other.
constexpr unsigned kParts = kWarps < 32 ? kWarps / kBlocksInRow : 4, kPartsOfWarp = 4 / kParts;
static_assert(kParts * kPartsOfWarp == 4);

ATTENTION_INLINE float shared_load(unsigned address) { return *reinterpret_cast<volatile float*>(address); }
ATTENTION_INLINE void shared_store(unsigned address, float value) {
  *reinterpret_cast<volatile float*>(address) = value;
}

ATTENTION_INLINE unsigned shared_load_word(unsigned address) {
  return *reinterpret_cast<volatile unsigned*>(address);
}
ATTENTION_INLINE void shared_store_word(unsigned address, unsigned word) {
  *reinterpret_cast<volatile unsigned*>(address) = word;
}

/// Bytes of eight words, one per lane.
constexpr unsigned kVectorBytes = kWarpLanes * kWordBytes;

/// Which queries and keys of a tile a thread has.
struct TilePart {
  unsigned lane, warp, row_block, part;
  explicit TilePart(unsigned thread)
      : lane(thread % kWarpLanes), warp(thread / kWarpLanes), row_block(warp / kParts), part(warp % kParts) {}
  /// Calls work(part) for each of its parts: the same with the number of one of four in `part`.
  template <class Work>
  __attribute__((always_inline)) void each(Work work) const {
    if constexpr (kPartsOfWarp == 1) {
      TilePart one = *this;
#ifdef ATTENTION_OVERLAPPED  // addresses are made where they are used, instead of kept on the stack
      one.lane = simt_opaque(lane);
#endif
      work(one);
    } else {
#pragma GCC unroll 1
      for (unsigned i = 0; i < kPartsOfWarp; ++i) {
        TilePart one = *this;
        one.part = part * kPartsOfWarp + i;
        work(one);
      }
    }
  }
};

// Where a tile has the words of a thread: word `step` of its first block is at
// at(first(part), step), that of its second block kNextBlock behind it. Both orders make the eight
// lanes touch eight different word banks.
struct QueryRows {  // the matrix unit's order: blocks in rows, a query is a row of eight keys
  static constexpr unsigned kNextBlock = kBlockBytes;
  static unsigned first(const TilePart& p) {
    return (p.row_block * kBlocksInRow + p.part * 2) * kBlockBytes + p.lane * 9 * kWordBytes;
  }
  // In its row lane l takes word l ^ step: without the twist all lanes would meet in one bank.
  static unsigned at(unsigned first, unsigned step) { return first ^ (step * kWordBytes); }
  static unsigned key(const TilePart& p, unsigned step) { return p.lane ^ step; }  // in its block
};
struct QueryColumns {  // transposed, as operand A of the tensor core: a row has one key
  static constexpr unsigned kNextBlock = kBlocksInRow * kBlockBytes;
  static unsigned first(const TilePart& p) {
    return (p.part * 2 * kBlocksInRow + p.row_block) * kBlockBytes + p.lane * kWordBytes;
  }
  static unsigned at(unsigned first, unsigned step) { return first + step * 8 * kWordBytes; }
  static unsigned key(const TilePart&, unsigned step) { return step; }
};

/// A tile of Q from the DMA's order, a query in a row, to one with eight queries in a row, as operand A
/// of the tensor core must be. The words of a lane are those of one query in both.
ATTENTION_INLINE void turn_queries(const TilePart& all, unsigned from_tile, unsigned to_tile) {
  all.each([&](const TilePart& p) __attribute__((always_inline)) {
    const unsigned from = from_tile + QueryRows::first(p);
    const unsigned to = to_tile + QueryColumns::first(p);
#pragma GCC unroll 4
    for (unsigned step = 0; step < 8; ++step) {
      const unsigned address = QueryRows::at(from, step);
      const unsigned target = to + (step ^ p.lane) * kVectorBytes;
      shared_store(target, shared_load(address));
      shared_store(target + QueryColumns::kNextBlock, shared_load(address + QueryRows::kNextBlock));
    }
  });
}

/// What a lane knows of its query. `sum` counts the keys of this warp only.
struct QueryState {
  float maximum, sum, rescale;
};
ATTENTION_INLINE QueryState new_query() { return {-INFINITY, 0.0f, 0.0f}; }

/// What the warps exchange: one float per part and query.
constexpr unsigned kExchangeBytes = kParts * kTile * kWordBytes;
ATTENTION_INLINE unsigned exchange_word(unsigned exchange, const TilePart& p, unsigned part) {
  return exchange + (part * kTile + p.row_block * 8 + p.lane) * kWordBytes;
}

template <class Order>
ATTENTION_INLINE float part_maximum(unsigned tile, const TilePart& p, float maximum) {
  const unsigned first = tile + Order::first(p);
#pragma GCC unroll 4
  for (unsigned step = 0; step < 8; ++step) {
    const unsigned address = Order::at(first, step);
    maximum = fmaxf(maximum, fmaxf(shared_load(address), shared_load(address + Order::kNextBlock)));
  }
  return maximum;
}

/// First half: the largest score among the keys of this warp.
template <class Order>
ATTENTION_INLINE void row_maxima(unsigned tile, unsigned exchange, const TilePart& p,
                                 const QueryState& state) {
  float maximum = state.maximum;
  p.each([&](const TilePart& one)
             __attribute__((always_inline)) { maximum = part_maximum<Order>(tile, one, maximum); });
  shared_store(exchange_word(exchange, p, p.part), maximum);
}

/// What the warps of the same queries offer, combined.
template <class Combine>
ATTENTION_INLINE float of_parts(unsigned exchange, const TilePart& p, Combine combine) {
  const auto offered = [&](unsigned part) __attribute__((always_inline)) {
    return shared_load(exchange_word(exchange, p, part));
  };
  if constexpr (kParts == 1) return offered(0);
  else if constexpr (kParts == 2) return combine(offered(0), offered(1));
  else return combine(combine(offered(0), offered(1)), combine(offered(2), offered(3)));
}

/// The largest score of all warps, and what it does to what was before.
ATTENTION_INLINE void raise_maximum(unsigned exchange, const TilePart& p, bool first_tile,
                                    QueryState& state) {
  const float maximum =
      of_parts(exchange, p, [](float a, float b) __attribute__((always_inline)) { return fmaxf(a, b); });
  state.rescale = 0.0f;  // there is nothing before the first tile
  if (!first_tile) state.rescale = softmax_exponential((state.maximum - maximum) * kScoreScale);
  state.maximum = maximum;
}

/// Second half: scores become probabilities in place.
template <class Order>
ATTENTION_INLINE void probabilities(unsigned tile, unsigned exchange, const TilePart& p, bool first_tile,
                                    QueryState& state) {
  raise_maximum(exchange, p, first_tile, state);
  float sum = state.sum * state.rescale;
  const float origin = state.maximum * -kScoreScale;
  p.each([&](const TilePart& one) __attribute__((always_inline)) {
    const unsigned first = tile + Order::first(one);
#pragma GCC unroll 2
    for (unsigned step = 0; step < 8; ++step) {
      const unsigned a = Order::at(first, step), b = a + Order::kNextBlock;
      const float pa = softmax_exponential(fmaf(shared_load(a), kScoreScale, origin));
      const float pb = softmax_exponential(fmaf(shared_load(b), kScoreScale, origin));
      shared_store(a, pa);
      shared_store(b, pb);
      sum += pa + pb;
    }
  });
  state.sum = sum;
}

/// The sum over all keys, in two halves like the maximum.
ATTENTION_INLINE void offer_sum(unsigned exchange, const TilePart& p, const QueryState& state) {
  shared_store(exchange_word(exchange, p, p.part), state.sum);
}
ATTENTION_INLINE float whole_sum(unsigned exchange, const TilePart& p) {
  return of_parts(exchange, p, [](float a, float b) __attribute__((always_inline)) { return a + b; });
}

}  // namespace attention
