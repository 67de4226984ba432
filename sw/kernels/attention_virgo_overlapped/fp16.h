// SPDX-License-Identifier: Apache-2.0
// attention_virgo_overlapped for FP16 (attention_fp16_virgo_overlapped), with ATTENTION_BF16 for BF16, with
// ATTENTION_FP8_E4M3 or _E5M2 for FP8: where its tiles are, the commands of the unit, and the elements of a lane.
//
// The unit adds in FP32 and stores FP16 (BF16): scores and P V come as FP16 numbers, two to a word, and the lanes
// unpack them. A line of shared memory is 16 keys of a query in a block of 16 x 16, so a warp has half a block of each
// tile: a lane finds its 16 scores in the eight words of one line, and P takes their place. CISC commands know larger
// tiles only, so each command is a loop with all its settings.
//
// Of FP8 a line of P has 32 keys: half of its words are those of a warp, and two lanes each meet in a word bank.
#pragma once

#include <float_bits.h>

#include "sw/kernels/attention_common/causal.h"
#include "sw/kernels/attention_common/half_softmax.h"
#include "sw/kernels/attention_common/unit_tiles.h"

namespace attention {

constexpr unsigned kGroups = 2;  // X and Y

// Places of tiles of operands: of a group, or of a buffer. In the first bank Q and V, in the second K, and of FP8 P.
constexpr unsigned kTilesOfBank = 4 * kHexadecileRows / kOperandRows;
constexpr unsigned query_tile(unsigned group) { return group; }
constexpr unsigned value_tile(unsigned block) { return 2 + (block & 1); }
constexpr unsigned key_tile(unsigned block) { return kTilesOfBank + (block & 1); }
// Hexadeciles: one bank for each group; O, FP32, takes two, and so does what is staged on its way out, when scores and
// product are not needed any more.
constexpr unsigned score_tile(unsigned group) { return 8 + 4 * group; }
constexpr unsigned product_tile(unsigned group) { return 9 + 4 * group; }
constexpr unsigned output_tile(unsigned group) { return 10 + 4 * group; }
constexpr unsigned staging_tile(unsigned group) { return score_tile(group); }
constexpr unsigned kExchangeTile = 6;
// A place: P takes that of the scores if it has their size.
constexpr unsigned probability_tile(unsigned group) {
  return kFp8 ? kTilesOfBank + 2 + group : score_tile(group);
}

// Commands of the unit: operands in places a and b, multiplied with the result in hexadecile c, or loaded. A tile of V
// comes with the tile of K behind it; its addresses are given before (set_addresses()).
struct Command {
  static constexpr unsigned kLoad = ~0u, kNothing = ~1u;  // in place of c
  unsigned a, b, c;
  constexpr bool operator!=(const Command& other) const { return c != other.c; }
};
constexpr Command kNone{0, 0, Command::kNothing};
constexpr Command scores(unsigned group, unsigned block) {
  return {query_tile(group), key_tile(block), score_tile(group)};
}
constexpr Command product(unsigned group, unsigned block) {
  return {probability_tile(group), value_tile(block), product_tile(group)};
}
constexpr unsigned kBlocksAlongK = kKeySlots / MATRIX_UNIT_DIM;
static_assert(kHeadSlots == kKeySlots);
ATTENTION_INLINE void bounds_and_places(Command command, unsigned rows, unsigned along_k) {
  matrix_unit_loop_bounds(kUnit, rows, kBlocks, along_k);
  matrix_unit_loop_spad_ab(kUnit, command.a * kOperandRows, (command.b + 1) * kOperandRows);
}
ATTENTION_INLINE void give(Command command) {
  bounds_and_places(command, kBlocks, kBlocksAlongK);
  if (command.c == Command::kLoad) matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0);
  else matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_EXECUTE_STORE_SPAD, 0, command.c * kHexadecileRows);
}
#ifdef ATTENTION_FP8
BUILT_FOR("attention.fp8", 1);

// A tile of V has other blocks along k than one of K, so each has its loop, and that of K its address here.
struct Load : Command {
  unsigned key_address, sequence;
};
ATTENTION_INLINE Load next_tiles(const Operands& operands, unsigned block, unsigned next) {
  return {{value_tile(block), key_tile(block + 1), Command::kLoad}, operands.key(next), operands.sequence};
}
ATTENTION_INLINE void give(Load load) {
  matrix_unit_config_load(kUnit, 0, kRowBytes);
  bounds_and_places(load, kBlocksAlongK, kBlocks);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | MATRIX_UNIT_LOOP_SKIP_LOAD_B, 0, 0);
  matrix_unit_loop_address_ab(kUnit, 0, load.key_address);
  matrix_unit_loop_stride_ab(kUnit, 0, load.sequence);
  bounds_and_places(load, kBlocks, kBlocksAlongK);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | MATRIX_UNIT_LOOP_SKIP_LOAD_A, 0, 0);
}
#else
constexpr Command next_tiles(const Operands&, unsigned block, unsigned) {
  return {value_tile(block), key_tile(block + 1), Command::kLoad};
}
#endif

/// Two elements of a word.
struct Halves {
  float low, high;
};
ATTENTION_INLINE Halves halves_of(unsigned word) { return {half_value(word << 16), half_value(word)}; }

/// Where a lane has its line: word `step` at at(first, step), in another word bank than the other lanes'.
struct HalfRows {
  static unsigned first(const TilePart& p) {
    constexpr unsigned kHalfBlock = 8 * kVectorBytes;
    return (p.row_block / 2 * kBlocks + p.part) * 2 * kHalfBlock + p.row_block % 2 * kHalfBlock +
           p.lane * (kVectorBytes + kWordBytes);
  }
  static unsigned at(unsigned first, unsigned step) { return first ^ (step * kWordBytes); }
};

/// Masks a lane's scores in a tile whose first key is `behind` places behind its first query: two in a word.
ATTENTION_INLINE void mask_tile(unsigned tile, const TilePart& all, int behind) {
  all.each([&](const TilePart& p) __attribute__((always_inline)) {
    const unsigned first = tile + HalfRows::first(p);
    const int of_part = behind + static_cast<int>(p.part * 16) - static_cast<int>(p.row_block * 8 + p.lane);
#pragma GCC unroll 1
    for (unsigned step = 0; step < 8; ++step) {
      const unsigned address = HalfRows::at(first, step);
      const int low = of_part + static_cast<int>(2 * (p.lane ^ step));
      const unsigned unseen = simt_hide((static_cast<unsigned>(-low >> 31) & 0xFFFFu) |
                                        static_cast<unsigned>((-low - 1) >> 31) << 16);
      const unsigned word = shared_load_word(address);
      shared_store_word(address, (word & ~unseen) | (unseen & (kUnseenHalf << 16 | kUnseenHalf)));
    }
  });
}

ATTENTION_INLINE void scores_maxima(unsigned tile, unsigned exchange, const TilePart& p,
                                    const QueryState& state) {
  float maximum = state.maximum;
  p.each([&](const TilePart& one) __attribute__((always_inline)) {
    const unsigned first = tile + HalfRows::first(one);
#pragma GCC unroll 4
    for (unsigned step = 0; step < 8; ++step) {
      const Halves score = halves_of(shared_load_word(HalfRows::at(first, step)));
      maximum = fmaxf(maximum, fmaxf(score.low, score.high));
    }
  });
  shared_store(exchange_word(exchange, p, p.part), maximum);
}

/// Where a lane has its probabilities of FP8: words of two words of scores each, at the same distances.
ATTENTION_INLINE unsigned first_probabilities(unsigned tile, const TilePart& p) {
  constexpr unsigned kBlockBytes = MATRIX_UNIT_DIM * kVectorBytes;
  return tile + (p.row_block / 2 * kBlocksAlongK + p.part / 2) * kBlockBytes +
         (p.row_block % 2 * 8 + p.lane) * kVectorBytes + (p.part % 2 * 4 + p.lane / 2) * kWordBytes;
}

ATTENTION_INLINE void scores_to_probabilities(unsigned tile, unsigned group, unsigned exchange,
                                              const TilePart& p, bool first_tile, QueryState& state) {
  raise_maximum(exchange, p, first_tile, state);
  float sum = state.sum * state.rescale;
  const float origin = state.maximum * -kScoreScale;
  p.each([&](const TilePart& one) __attribute__((always_inline)) {
    const unsigned first = tile + HalfRows::first(one);
    const unsigned narrow = first_probabilities(
        PLATFORM_SHARED_BASE + probability_tile(group) * kOperandRows * kVectorBytes, one);
#pragma GCC unroll 2
    for (unsigned step = 0; step < 8; step += 2) {
      const unsigned addresses[2] = {HalfRows::at(first, step), HalfRows::at(first, step + 1)};
      float x[4];
#pragma GCC unroll 2
      for (unsigned i = 0; i < 2; ++i) {
        const Halves score = halves_of(shared_load_word(addresses[i]));
        x[2 * i] = fmaf(score.low, kScoreScale, origin);
        x[2 * i + 1] = fmaf(score.high, kScoreScale, origin);
      }
      softmax_exponential_four(x);
      if constexpr (kFp8) {
        // The words of an odd lane come the other way round.
        const unsigned word = narrow_word(x);
        const unsigned turn = one.lane % 2 * 16;
        shared_store_word(narrow ^ (step / 2 * kWordBytes), word << turn | word >> (-turn & 31));
      } else {
#pragma GCC unroll 2
        for (unsigned i = 0; i < 2; ++i)
          shared_store_word(addresses[i], half_of(x[2 * i]) | half_of(x[2 * i + 1]) << 16);
      }
      sum += (x[0] + x[1]) + (x[2] + x[3]);
    }
  });
  state.sum = sum;
}

/// The addresses of two neighbouring elements of O, FP32, in a tile of blocks of 8 x 8.
struct StagingPair {
  unsigned a, b;
  StagingPair(unsigned tile, const TilePart& p, unsigned step) {
    const unsigned word = p.lane ^ step;
    a = tile + (p.row_block * kBlocksInRow + p.part * 2 + word / 4) * kBlockBytes + p.lane * kVectorBytes +
        word % 4 * 2 * kWordBytes;
    b = a + kWordBytes;
  }
};
/// The elements of P V that belong to them.
struct ProductPair {
  const Halves word;
  ProductPair(unsigned tile, const TilePart& p, unsigned step)
      : word(halves_of(shared_load_word(HalfRows::at(tile + HalfRows::first(p), step)))) {}
  float a() const { return word.low; }
  float b() const { return word.high; }
};

}  // namespace attention
