// SPDX-License-Identifier: Apache-2.0
// attention_tc for FP16 operands (attention_fp16_tc): where its tiles are, how they are loaded, and how P becomes
// operand A of wmma. Scores, sums and O are FP32.
//
// A word of operand A has two keys, so a lane has to have the scores of both: in their rows the sixteen keys of two
// lines of shared memory are ordered so that lane l has keys 2 l and 2 l + 1. Packed, P takes the place of the scores,
// eight rows at a time, a line per pair of keys: when all warps have read what they need of this round. With
// ATTENTION_FP8_E4M3 or _E5M2 a word has four keys, those of 32 are in four lines, and operands have half as many words
// along k.
#pragma once

#include "sw/kernels/attention_common/half_tiles.h"
#include "sw/kernels/attention_common/row_softmax.h"
#include "sw/kernels/attention_tc/groups.h"

namespace attention {

constexpr unsigned kLongest = ~0u;  // keys
constexpr unsigned kProductWords = kKeySlots / 2;  // along k, of the keys or of the head
constexpr unsigned kKeysOfWord = kFp8 ? 4 : 2;
static_assert(kHeadSlots == kKeySlots);

// Places of a group, in bytes from its first bank on: operands A of its products in one bank, B in the other.
constexpr unsigned kBank = PLATFORM_SHARED_SIZE / 4, kGroupBytes = 2 * kBank;
constexpr unsigned kQueries = 0, kScores = kHalfTileBytes, kProbabilities = kScores,
                   kStatistics = kScores + kTileBytes, kKeys = kBank, kValues = kKeys + kHalfTileBytes,
                   kOutput = kValues + kHalfTileBytes;
static_assert(kStatistics + RowStatistics::bytes(kGroupWarps) <= kBank);
static_assert(kOutput + kTileBytes <= kGroupBytes && kWarpGroups * kGroupBytes == PLATFORM_SHARED_SIZE);

/// A group's tiles. Addresses are opaque: kept out of registers while they are not needed.
struct GroupTiles {
  unsigned group;
  unsigned operator[](unsigned tile) const {
    return PLATFORM_SHARED_BASE + simt_opaque(group * kGroupBytes + tile);
  }
};

using QueryLayout = QueryTile;
using KeyLayout = SwizzledB;
using ValueLayout = SwizzledB;
struct ScoreKeys {
  static unsigned key(unsigned i, unsigned lane) {
    return i / kKeysOfWord * kKeysOfWord * kWarpLanes + kKeysOfWord * lane + i % kKeysOfWord;
  }
};
struct ProbabilityLayout {
  static constexpr bool kFar = false;
  static constexpr unsigned kPanelRows = kTile, kPanel = 0;
  static constexpr unsigned kWord = kVectorBytes, kEight = 8 * kPlainRowBytes, kStep = 8 * kWord;
};

#ifdef ATTENTION_FP8
BUILT_FOR("attention.fp8", 1);
#endif

class Part : public PlainPart {
 public:
  using PlainPart::PlainPart;
  // In the order of keys that the softmax needs: a store touches two lines and four rows.
  __attribute__((always_inline)) void store_scores(unsigned c) const {
    constexpr unsigned kKeys = kKeysOfWord * kWarpLanes, kFour = 4 / kKeysOfWord * kWordBytes;
    const unsigned key = column_ % kKeys + tensor_core_column(lane_);
    c += (row_ + tensor_core_row(lane_)) * kPlainRowBytes + column_ / kKeys * kKeysOfWord * kVectorBytes;
    c += key / kKeysOfWord * kWordBytes;
    if (kFp8) c += key % kKeysOfWord * kVectorBytes;  // of two keys the first is that of an even column
    tensor_core_store<0, kVectorBytes, kFour>(c, 2 * kPlainRowBytes);
    tensor_core_store<1, kVectorBytes, kFour>(c + 8 * kPlainRowBytes, 2 * kPlainRowBytes);
  }
};

/// What the driver of a group loads; no tile has a place of its own without its group.
struct NoPlaces {};
struct Loads : HalfLoads<NoPlaces> {
  using HalfLoads::HalfLoads;

  // Q and the first K of both groups, waited for.
  void queries(unsigned row) const {
    configure();
    if (kFp8) rows_of_queries();
    for (unsigned group = 0; group < kWarpGroups; ++group) {
      const GroupTiles to{group};
      start<kBlocks, kHeadSlots / kBlockRows>(q + (row + group * kTile) * kHeadRowBytes, k, to[kQueries],
                                              to[kKeys], 0);
      poll_until_idle();
    }
    if (kFp8) rows_of_values();
  }
  void keys_and_values(unsigned key_block, unsigned value_block, const GroupTiles& to) const {
    const unsigned values = v + value_block * kKeySlots * kValueRowBytes,
                   keys = k + key_block * kTile * kHalfBytes;
    start<kKeySlots / kBlockRows, kBlocks>(values, keys, to[kValues], to[kKeys],
                                           kFp8 ? MATRIX_UNIT_LOOP_SKIP_LOAD_B : 0);
    if (kFp8)  // two blocks of V along k, of K across
      start<kBlocks, kHeadSlots / kBlockRows>(values, keys, to[kValues], to[kKeys],
                                              MATRIX_UNIT_LOOP_SKIP_LOAD_A);
  }
};

/// Q comes as it is needed.
ATTENTION_INLINE void arrange_queries(unsigned, const GroupTiles&, const WarpGroup&) {}

/// A row of P as FP16, two keys to a word, or as FP8, four.
class ProbabilityRow {
 public:
  __attribute__((always_inline)) ProbabilityRow(unsigned tile, unsigned row, unsigned lane)
      : first_(simt_opaque(tile + row / 8 * ProbabilityLayout::kEight + row % 8 * kWordBytes +
                           lane * kVectorBytes)) {}
  __attribute__((always_inline)) void operator()(unsigned i, float probability) {
    const unsigned code = narrow_of(probability);
    unsigned& word = words_[i / kKeysOfWord];
    word = i % kKeysOfWord == 0 ? code : word | code << i % kKeysOfWord * (32 / kKeysOfWord);
  }
  __attribute__((always_inline)) void end() const {
#pragma GCC unroll 4
    for (unsigned i = 0; i < kWords; ++i) shared_store_word(first_ + i * ProbabilityLayout::kStep, words_[i]);
  }

 private:
  static constexpr unsigned kWords = kWordsOfLane / kKeysOfWord;
  unsigned first_, words_[kWords] = {};
};

}  // namespace attention
