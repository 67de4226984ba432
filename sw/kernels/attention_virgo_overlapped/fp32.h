// SPDX-License-Identifier: Apache-2.0
// attention_virgo_overlapped for FP32: where its tiles are, the commands of the unit, and the words of a lane.
#pragma once

#include "sw/kernels/attention_common/causal.h"
#include "sw/kernels/attention_common/online_softmax.h"
#include "sw/kernels/attention_common/unit_tiles.h"

namespace attention {

constexpr unsigned kGroups = 2;  // X and Y

// Hexadeciles: of a group, or of a buffer.
constexpr unsigned query_tile(unsigned group) { return group; }
constexpr unsigned key_tile(unsigned block) { return 2 + (block & 1); }
constexpr unsigned value_tile(unsigned block) { return 4 + (block & 1); }
constexpr unsigned score_tile(unsigned group) { return 6 + 2 * group; }
constexpr unsigned product_tile(unsigned group) { return 7 + 2 * group; }
constexpr unsigned output_tile(unsigned group) { return 10 + group; }
constexpr unsigned staging_tile(unsigned group) { return product_tile(group); }
constexpr unsigned kExchangeTile = 12;

// Commands of the unit. A tile of V comes with the tile of K behind it.
using Command = unsigned;
constexpr Command kNone = ~0u;
constexpr Command next_tiles(const Operands&, unsigned block, unsigned) {
  return load_command(value_tile(block), key_tile(block + 1));
}
constexpr Command scores(unsigned group, unsigned block) {
  return multiply_command(query_tile(group), key_tile(block), score_tile(group));
}
constexpr Command product(unsigned group, unsigned block) {
  return multiply_command(score_tile(group), value_tile(block), product_tile(group));
}
ATTENTION_INLINE void give(Command command) { matrix_unit_cisc(kUnit, command); }

ATTENTION_INLINE void mask_tile(unsigned tile, const TilePart& p, int behind) {
  mask_scores<QueryRows>(tile, p, behind);
}
ATTENTION_INLINE void scores_maxima(unsigned tile, unsigned exchange, const TilePart& p,
                                    const QueryState& state) {
  row_maxima<QueryRows>(tile, exchange, p, state);
}
ATTENTION_INLINE void scores_to_probabilities(unsigned tile, unsigned, unsigned exchange, const TilePart& p,
                                              bool first_tile, QueryState& state) {
  probabilities<QueryRows>(tile, exchange, p, first_tile, state);
}

/// The addresses of two words of a lane in a tile, one in each of its blocks.
struct StagingPair {
  unsigned a, b;
  StagingPair(unsigned tile, const TilePart& p, unsigned step)
      : a(QueryRows::at(tile + QueryRows::first(p), step)), b(a + QueryRows::kNextBlock) {}
};
/// The words of P V that belong to them.
struct ProductPair {
  const StagingPair from;
  ProductPair(unsigned tile, const TilePart& p, unsigned step) : from(tile, p, step) {}
  float a() const { return shared_load(from.a); }
  float b() const { return shared_load(from.b); }
};

}  // namespace attention
