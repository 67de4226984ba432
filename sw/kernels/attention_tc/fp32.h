// SPDX-License-Identifier: Apache-2.0
// attention_tc for FP32: where its tiles are, how they are loaded, and how P becomes operand A of wmma.
#pragma once

#include "sw/kernels/attention_common/row_softmax.h"
#include "sw/kernels/attention_common/unit_tiles.h"
#include "sw/kernels/attention_tc/groups.h"

namespace attention {

constexpr unsigned kLongest = MATRIX_UNIT_H_STRIDE_MASK;  // keys, what the command for strides can say
constexpr unsigned kProductWords = kTile;                 // along k

// Hexadeciles of a group, from its first on: Q and P transposed, K, V, S (and P), Q as loaded, O and
// statistics. Tiles that are multiplied with one another are in different banks (two hexadeciles each).
constexpr unsigned kQueries = 0, kProbabilities = 1, kKeys = 2, kValues = 3, kScores = 4, kLoadedQueries = 5,
                   kOutput = 6, kStatistics = 7, kTilesOfGroup = 8;

/// A group's tiles. Addresses are opaque: kept out of registers while they are not needed.
struct GroupTiles {
  unsigned group;
  unsigned hexadecile(unsigned tile) const { return group * kTilesOfGroup + tile; }
  unsigned operator[](unsigned tile) const { return tile_address(simt_opaque(hexadecile(tile))); }
};

using QueryLayout = Blocks<kTile>;
using KeyLayout = Blocks<kTile>;
using ProbabilityLayout = Blocks<kTile>;
using ValueLayout = Blocks<kTile>;
using ScoreKeys = PlainKeys;

class Part : public PlainPart {
 public:
  using PlainPart::PlainPart;
  __attribute__((always_inline)) void store_scores(unsigned c) const { store(c, kPlainRowBytes); }
};

/// What the driver of a group loads.
struct Loads : Operands {
  using Operands::Operands;

  static void tiles(unsigned a, unsigned b, unsigned stride_a, unsigned stride_b, unsigned tile_a,
                    unsigned tile_b) {
    matrix_unit_loop_address_ab(kUnit, a, b);
    matrix_unit_h_stride_ab(kUnit, stride_a, stride_b);
    matrix_unit_h_load(kUnit, tile_a, tile_b);
  }
  // Q and the first K of both groups, waited for.
  void queries(unsigned row) const {
    configure(*this);
    for (unsigned group = 0; group < kWarpGroups; ++group) {
      const GroupTiles to{group};
      tiles(q + (row + group * kTile) * kRowBytes, key(0), kHeadDim, sequence, to.hexadecile(kLoadedQueries),
            to.hexadecile(kKeys));
      poll_until_idle();
    }
    // From here on path A has rows of the transposed K, path B rows of V.
    matrix_unit_config_load(kUnit, 0, sequence * kWordBytes);
    matrix_unit_config_load(kUnit, 1, kRowBytes);
    poll_until_idle();
  }
  void keys_and_values(unsigned key_block, unsigned value_block, const GroupTiles& to) const {
    tiles(key(key_block), value(value_block), sequence, kHeadDim, to.hexadecile(kKeys),
          to.hexadecile(kValues));
  }
};

/// Operand A has a row per lane: Q is turned.
constexpr unsigned kTurningThreads =
    kTile * kTile / 16 / kPartsOfWarp;  // turn_queries() has 16 words for each part
ATTENTION_INLINE void arrange_queries(unsigned of_group, const GroupTiles& tiles, const WarpGroup& group) {
  for (unsigned i = 0; i < kTurningThreads / kGroupThreads; ++i)
    turn_queries(TilePart(of_group + i * kGroupThreads), tiles[kLoadedQueries], tiles[kQueries]);
  group.barrier();
}

/// A row of P a second time, transposed.
class ProbabilityRow {
 public:
  __attribute__((always_inline)) ProbabilityRow(unsigned tile, unsigned row, unsigned lane)
      : first_(simt_opaque(tile + row / 8 * kBlockBytes + row % 8 * kWordBytes + lane * kVectorBytes)) {}
  __attribute__((always_inline)) void operator()(unsigned i, float probability) const {
    shared_store(first_ + i * kBlocksInRow * kBlockBytes, probability);
  }
  __attribute__((always_inline)) void end() const {}

 private:
  unsigned first_;
};

}  // namespace attention
