// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the decoupled tensor cores next to the SIMT cores (Hopper style)
// and the matrix unit's DMA: Q, K, V and the probabilities FP16, scores, sums and O FP32, head
// dimension 64. Revision v2, four cores, 128 KB of shared memory.
//
// Shows: a softmax on accumulators as they are. The 32 warps have 16 queries each and 16 keys (columns
// of the output) of two tiles of 64 queries and 64 keys, four instructions per tile. They go together
// through scores, row maxima, probabilities and O, with three barriers per 64 keys; the DMA loads the
// next K and V. (Taking turns, as in attention_fp16_tc_overlapped, leaves four warps per core for the
// softmax, too few to hide what an instruction of a warp waits for the one before.)
//
// Register r = 8 a + 2 j + b of lane l is row 4 j + l % 4, column 4 a + 2 b + l / 4. So a lane has four
// queries, and of each eight of the warp's sixteen keys; with K loaded such that column 4 a + 2 b + c
// has key 8 c + 2 a + b, the keys of (a, 0) and (a, 1) are neighbours, one word of operand A. Scores
// and O go to shared memory and back without a conflict, as the registers are. What other lanes need
// does conflict, and takes the unaligned path:
//   maxima   the other half of the keys is in lane l ^ 4: each lane writes its maximum twice, for itself and for the
//            other;
//   P        two rows of four words are one block of 32 bytes, of which a lane writes one word at a time.
// P replaces the scores. The tile of 16 queries and 32 keys that the tensor core reads lies across the
// scores of two warps, half of it in each: a warp overwrites only its own, once it has made all
// of its words.
//
// With ATTENTION_BF16 operands and probabilities are BF16 in the same places, with ATTENTION_FP8_E4M3 or _E5M2 FP8
// numbers, two along k instead of one (attention_common/attention_arguments.h). A lane's eight keys of a row are two
// words then, which go where the tensor core takes them at once: behind the queries, which leave that room.
//
// Operands come row-major (K transposed) with their elements exchanged in squares, as in
// gemm_fp16_hopper, and the columns of K as above. Q is in the first bank, K and V in the second, P and
// O of a group in different ones of the other two.
//
// Arguments: attention_common/attention_arguments.h, operands FP16 in the order above. Exit code 2:
// sizes (sequence and queries multiples of 128, head dimension 64), or a machine without 256 threads in
// warps of 8.
#include <decoupled_tensor_core.h>

#include "sw/kernels/attention_common/causal.h"
#include "sw/kernels/attention_common/half_tiles.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kGlobalBarrier = 7;
constexpr unsigned kGroups = 2, kGroupWarps = kWarps / kGroups, kGroupThreads = kThreads / kGroups;
constexpr unsigned kPart = DECOUPLED_TENSOR_TILE, kPartsAcross = kTile / kPart;
constexpr unsigned kStepBytes = DECOUPLED_TENSOR_TILE_BYTES;  // of A: 16 rows and 32 of k
constexpr unsigned kSteps = kKeySlots / 32;  // of k in a tile
constexpr unsigned kRegisterBytes = 32 * kVectorBytes;  // of a warp
#ifdef ATTENTION_FP8
BUILT_FOR("attention.fp8", 1);
#endif
constexpr unsigned kRows = 4, kPairs = 4;  // of a lane; pairs of neighbouring keys in each row
static_assert(kPartsAcross * kPartsAcross == kGroupWarps && kParts == kPartsAcross);

// Shared memory.
constexpr unsigned kBank = PLATFORM_SHARED_SIZE / 4;
struct Places {
  static constexpr unsigned query_tile(unsigned group) {
    return PLATFORM_SHARED_BASE + group * kHalfTileBytes;
  }
  static constexpr unsigned key_tile(unsigned block) {
    return PLATFORM_SHARED_BASE + kBank + (block & 1) * kHalfTileBytes;
  }
  static constexpr unsigned value_tile(unsigned block) { return key_tile(block) + 2 * kHalfTileBytes; }
};
using Loads = HalfLoads<Places>;
constexpr unsigned score_tile(unsigned group) { return PLATFORM_SHARED_BASE + (2 + group) * kBank; }
constexpr unsigned probability_tile(unsigned group) {
  return Places::query_tile(group) + kQueryBytes;
}  // FP8
constexpr unsigned output_tile(unsigned group) { return score_tile(group ^ 1) + kTileBytes; }
// Of a group: a line for each part, row of parts and row of a lane, twice; and maxima and sums of each
// warp.
constexpr unsigned kLinesBytes = kPartsAcross * kPartsAcross * kRows * kVectorBytes;
constexpr unsigned kSwapped = kLinesBytes, kStates = 2 * kLinesBytes, kSums = kRows * kVectorBytes;
constexpr unsigned kStatisticsBytes = kStates + kGroupWarps * 2 * kSums;
constexpr unsigned statistics_of(unsigned group) {
  return PLATFORM_SHARED_BASE + kGroups * kHalfTileBytes + group * kStatisticsBytes;
}
static_assert(kGroups * (kHalfTileBytes + kStatisticsBytes) <= kBank && 2 * kTileBytes <= kBank);

/// A lane's word of register 8 a + 2 j + b in what decoupled_tensor_save() leaves.
constexpr unsigned register_word(unsigned a, unsigned j, unsigned b) {
  return (8 * a + 2 * j + b) % 16 * 2 * kVectorBytes + a / 2 * kVectorBytes;
}

/// A warp's place in its group's tile, and where a lane has its data.
struct Part {
  unsigned lane, row, column;  // row, column: numbers of parts
  unsigned scores, output, statistics, state;
  Part(unsigned group, unsigned of_group)
      : lane(of_group % kWarpLanes),
        row(of_group / kWarpLanes / kPartsAcross),
        column(of_group / kWarpLanes % kPartsAcross),
        scores(score_tile(group) + of_group / kWarpLanes * kRegisterBytes + lane * kWordBytes),
        output(output_tile(group) + of_group / kWarpLanes * kRegisterBytes + lane * kWordBytes),
        statistics(statistics_of(group)),
        state(statistics_of(group) + kStates + of_group / kWarpLanes * 2 * kSums + lane * kWordBytes) {}

  // Operands for each 32 of k. A: rows of blocks are contiguous. P of two warps: behind the
  // first half of the scores of the first.
  unsigned query_operand(unsigned tile) const { return tile + row * kSteps * kStepBytes; }
  unsigned probability_operand(unsigned group) const {
    if (kFp8) return probability_tile(group) + row * kStepBytes;
    return score_tile(group) + row * kPartsAcross * kRegisterBytes + kStepBytes / 2;
  }
  unsigned column_operand(unsigned tile) const {
    return tile + column % 2 * kBlocks * kBlockHalfBytes + column / 2 * kStepBytes;
  }
  static constexpr unsigned kBlockHalfBytes = kBlockRows * kBlockRows * kHalfBytes;
  static constexpr unsigned kColumnStep = 2 * kBlocks * kBlockHalfBytes;
  static constexpr unsigned kProbabilityStep = 2 * kRegisterBytes;

  // The lane's word of a pair of keys in P: row 4 j + l % 4, set of eight keys l / 4 of the warp's two.
  unsigned probability_word() const {
    const unsigned half = scores - lane * kWordBytes + (column % 2 == 0 ? kStepBytes / 2 : 0);
    return half + lane / 4 * 8 * kVectorBytes + lane % 4 / 2 * kVectorBytes + lane % 2 * 4 * kWordBytes;
  }
  static constexpr unsigned kProbabilityRows = 2 * kVectorBytes;  // four rows on
  // Of FP8: the first word of eight keys, half of the set of eight slots that its warp has.
  unsigned narrow_word(unsigned group) const {
    return probability_operand(group) + column * 8 * kVectorBytes + lane % 4 / 2 * kVectorBytes +
           lane % 2 * 4 * kWordBytes + lane / 4 * 2 * kWordBytes;
  }

  unsigned line(unsigned part, unsigned j) const {
    return statistics + ((part * kPartsAcross + row) * kRows + j) * kVectorBytes;
  }
};

ATTENTION_INLINE void multiply(unsigned a, unsigned step_a, unsigned b) {
  decoupled_tensor_settle();  // the registers are loaded or cleared
#pragma GCC unroll 2
  for (unsigned step = 0; step < kSteps; ++step)
    decoupled_tensor_multiply(a + step * step_a, b + step * Part::kColumnStep);
  decoupled_tensor_wait();
}

/// A lane's value for each of its rows, to the lanes that have other keys of them.
ATTENTION_INLINE void offer(const Part& p, unsigned j, float value) {
  shared_store(p.line(p.column, j) + p.lane * kWordBytes, value);
  shared_store(p.line(p.column, j) + kSwapped + (p.lane ^ 4) * kWordBytes, value);
}
template <class Combine>
ATTENTION_INLINE float combined(const Part& p, unsigned j, Combine combine) {
  const auto both = [&](unsigned part) {
    const unsigned line = p.line(part, j) + p.lane * kWordBytes;
    return combine(shared_load(line), shared_load(line + kSwapped));
  };
  return combine(combine(both(0), both(1)), combine(both(2), both(3)));
}

ATTENTION_INLINE void scale_output_row(const Part& p, unsigned j, float factor) {
#pragma GCC unroll 8
  for (unsigned i = 0; i < 2 * kPairs; ++i) {
    const unsigned word = p.output + register_word(i / 2, 0, i % 2) + j * register_word(0, 1, 0);
    shared_store(word, shared_load(word) * factor);
  }
}

/// Masks the lane's scores in a tile whose first key is `behind` places behind its group's first query.
ATTENTION_INLINE void mask_part(const Part& p, int behind) {
  behind +=
      static_cast<int>(p.column * kPart + p.lane / 4 * 8) - static_cast<int>(p.row * kPart + p.lane % 4);
#pragma GCC unroll 1
  for (unsigned j = 0; j < kRows; ++j) {
    const unsigned first = simt_opaque(p.scores + j * register_word(0, 1, 0));
    const int key = behind - static_cast<int>(4 * j);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 2 * kPairs; ++i) {
      const unsigned word = first + register_word(i / 2, 0, i % 2);
      shared_store(word, seen_score(shared_load(word), key + static_cast<int>(i)));
    }
  }
}

ATTENTION_INLINE void offer_maxima(const Part& p) {
#pragma GCC unroll 1
  for (unsigned j = 0; j < kRows; ++j) {
    const unsigned first = simt_opaque(p.scores + j * register_word(0, 1, 0));
    float maximum = shared_load(first);
#pragma GCC unroll 8
    for (unsigned i = 1; i < 2 * kPairs; ++i)
      maximum = fmaxf(maximum, shared_load(first + register_word(i / 2, 0, i % 2)));
    offer(p, j, maximum);
  }
}

/// Scores become probabilities, two keys to a word, first where the first of them was, or four to a word at once where
/// they are taken; O is rescaled.
ATTENTION_INLINE void softmax_row(const Part& p, unsigned group, unsigned j, bool first_tile) {
  const unsigned first = simt_opaque(p.scores + j * register_word(0, 1, 0)),
                 state = p.state + j * kVectorBytes;
  float maximum = combined(p, j, [](float a, float b) { return fmaxf(a, b); });
  float factor = 0.0f, sum = 0.0f;
  if (!first_tile) {
    const float before = shared_load(state);
    maximum = fmaxf(maximum, before);
    factor = softmax_exponential((before - maximum) * kScoreScale);
    sum = shared_load(state + kSums) * factor;
    scale_output_row(p, j, factor);
  }
  shared_store(state, maximum);
  const float origin = maximum * -kScoreScale;
#pragma GCC unroll 2
  for (unsigned a = 0; a < kPairs; a += 2) {
    float x[4];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i)
      x[i] = fmaf(shared_load(first + register_word(a + i / 2, 0, i % 2)), kScoreScale, origin);
    softmax_exponential_four(x);
    if constexpr (kFp8) {
      shared_store_word(p.narrow_word(group) + j * Part::kProbabilityRows + a / 2 * kWordBytes,
                        narrow_word(x));
    } else {
      shared_store_word(first + register_word(a, 0, 0), half_of(x[0]) | half_of(x[1]) << 16);
      shared_store_word(first + register_word(a + 1, 0, 0), half_of(x[2]) | half_of(x[3]) << 16);
    }
    sum += (x[0] + x[1]) + (x[2] + x[3]);
  }
  shared_store(state + kSums, sum);
}

/// The words to where the tensor core takes them; all are read before the first is written.
ATTENTION_INLINE void move_probabilities(const Part& p) {
  unsigned words[kRows * kPairs];
#pragma GCC unroll 16
  for (unsigned i = 0; i < kRows * kPairs; ++i)
    words[i] = shared_load_word(p.scores + register_word(i % kPairs, i / kPairs, 0));
  const unsigned to = p.probability_word();
#pragma GCC unroll 16
  for (unsigned i = 0; i < kRows * kPairs; ++i)
    shared_store_word(to + i / kPairs * Part::kProbabilityRows + i % kPairs * kWordBytes, words[i]);
}

ATTENTION_INLINE void write_output(const Part& p, unsigned o) {
#pragma GCC unroll 1
  for (unsigned j = 0; j < kRows; ++j) {
    const float reciprocal = 1.0f / combined(p, j, [](float a, float b) { return a + b; });
    const unsigned from = p.output + j * register_word(0, 1, 0);
    const unsigned to = o + (p.row * kPart + 4 * j + p.lane % 4) * kHeadDim * kWordBytes +
                        (p.column * kPart + p.lane / 4) * kWordBytes;
#pragma GCC unroll 8
    for (unsigned i = 0; i < 2 * kPairs; ++i)
      shared_store(to + 2 * i * kWordBytes, shared_load(from + register_word(i / 2, 0, i % 2)) * reciprocal);
  }
}

static void kernel(unsigned thread, void*) {
  const Loads loads(arguments);
  const unsigned driver = thread == 0, warps = simt_warps(), all_blocks = loads.sequence / kTile;
  const unsigned queries = queries_of(arguments), o = static_cast<unsigned>(arguments.o);
  const unsigned group = thread / kGroupThreads;
  const Part p(group, thread % kGroupThreads);
  SIMT_IF(driver)
    loads.configure();
  SIMT_END_IF
  simt_barrier(kGlobalBarrier, warps);

  MARK_BEG();
  for (unsigned row = 0; row < queries; row += kGroups * kTile) {
    SIMT_IF(driver)
      if (kFp8) Loads::rows_of_queries();
      loads.queries(row, 0);
      loads.queries(row, 1);
      if (kFp8) matrix_unit_fence(kUnit);
      if (kFp8) Loads::rows_of_values();
      loads.keys_and_values(0, 0);
      matrix_unit_fence(kUnit);
    SIMT_END_IF
    decoupled_tensor_clear();
    decoupled_tensor_save(p.output);
    simt_barrier(kGlobalBarrier, warps);
    const unsigned blocks = blocks_of(row, kGroups, all_blocks);
    for (unsigned block = 0; block < blocks; ++block) {
      decoupled_tensor_clear();
      multiply(p.query_operand(Places::query_tile(group)), kStepBytes,
               p.column_operand(Places::key_tile(block)));
      simt_barrier(kGlobalBarrier, warps);  // the probabilities and buffers of the block before are read
      const unsigned more = driver & (block + 1 < blocks);
      SIMT_IF(more)
        loads.keys_and_values(block + 1, block + 1);
      SIMT_END_IF
      decoupled_tensor_save(p.scores);
      const int behind = behind_of(block, blocks, group, kGroups);
      if (kCausal && behind >= 0) mask_part(p, behind);
      offer_maxima(p);
      simt_barrier(kGlobalBarrier, warps);
#pragma GCC unroll 1
      for (unsigned j = 0; j < kRows; ++j) softmax_row(p, group, j, block == 0);
      if constexpr (!kFp8) move_probabilities(p);
      SIMT_IF(driver)
        matrix_unit_fence(kUnit);  // the next tiles are there
      SIMT_END_IF
      decoupled_tensor_settle();
      simt_barrier(kGlobalBarrier, warps);
      decoupled_tensor_restore(p.output);
      multiply(p.probability_operand(group), Part::kProbabilityStep,
               p.column_operand(Places::value_tile(block)));
      decoupled_tensor_save(p.output);
    }
#pragma GCC unroll 1
    for (unsigned j = 0; j < kRows; ++j) offer(p, j, shared_load(p.state + kSums + j * kVectorBytes));
    simt_barrier(kGlobalBarrier, warps);
    write_output(p, o + (row + group * kTile) * kHeadDim * kWordBytes);
  }
  simt_barrier(kGlobalBarrier, warps);
  MARK_END();
}

static int run() {
  if (!fits(arguments, kGroups * kTile) || arguments.sequence % (2 * kTile) != 0) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}

}  // namespace attention

ATTENTION_MAIN(attention::arguments) { return attention::run(); }
