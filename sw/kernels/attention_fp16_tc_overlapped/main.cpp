// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the tensor cores inside the SIMT cores and the matrix unit's DMA:
// Q, K, V and the probabilities FP16, scores, sums and O FP32, head dimension 64. Revision v2, eight
// cores, 128 KB of shared memory.
//
// Shows: two groups of 32 warps in turn, each with 64 queries; they share the tiles of K and V, which
// the DMA loads ahead. Between two barriers of all warps (id 7) one group multiplies and the other
// computes the softmax:
//
//   group 0   S 0 | softmax 0 | P V 0, S 1 | softmax 1  | P V 1, S 2 | ...
//   group 1       | S 0       | softmax 0  | P V 0, S 1 | softmax 1  | ...
//   DMA       K 1, V 0        | K 2, V 1                | K 3, V 2
//
//   P V      O: accumulators from shared memory, times the rescaling of their rows, plus P V, and back;
//   S        a part of 16 x 8 per warp, FP32, from the accumulators to shared memory;
//   softmax  row maxima, a barrier of the group, probabilities, FP16, in place.
//
// The last V of a row of tiles is in the second buffer, because the number of tiles is even: the DMA
// may begin with the first of the next queries while group 1 still multiplies.
//
// A lane has one query in the softmax. Operand A of wmma has a row per lane and a word of two elements
// of k per register, so the lane that computes two neighbouring keys has the word that it needs, in the
// word bank of its own: no access of the softmax meets another. The rest are the stores of the
// scores: the accumulators of a lane are those of two queries, so they take the unaligned path. Cells
// of 512 bytes hold 8 queries and 16 keys: scores as a line of 32 bytes per key, then probabilities as
// a line per pair of keys in the first half. A lane writes a word when it has read both scores of it,
// and those before.
//
// Operands come row-major (K transposed) with their elements exchanged in squares, as in gemm_tc_dma: Q
// as A, K and V as B. Each of the four banks has what is read together with other things from another:
// K and V in the second, a group's Q and the other's scores in the first and third, O in the fourth.
//
// With ATTENTION_BF16 operands and probabilities are BF16 in the same places, with ATTENTION_FP8_E4M3 or _E5M2 FP8
// numbers, two along k instead of one (attention_common/attention_arguments.h).
//
// Arguments: attention_common/attention_arguments.h, operands FP16 in the order above. Exit code 2:
// sizes (sequence and queries multiples of 128, head dimension 64), or a machine without 512
// threads in warps of 8.
#define ATTENTION_OVERLAPPED
#include "sw/kernels/attention_common/causal.h"
#include "sw/kernels/attention_common/half_tiles.h"
#include "sw/kernels/attention_common/output_tile.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kGlobalBarrier = 7;
constexpr unsigned kGroups = 2, kGroupThreads = kThreads / kGroups;

// Cells of 8 queries and 16 keys.
constexpr unsigned kCellBytes = 16 * kVectorBytes, kCellsOfRow = kTile / 16;
constexpr unsigned kSavedBytes = OutputTile::kSavedBytes;

// Shared memory.
constexpr unsigned kBank = PLATFORM_SHARED_SIZE / 4;
struct Places {
  static constexpr unsigned query_tile(unsigned group) { return PLATFORM_SHARED_BASE + group * 2 * kBank; }
  static constexpr unsigned key_tile(unsigned block) {
    return PLATFORM_SHARED_BASE + kBank + (block & 1) * kHalfTileBytes;
  }
  static constexpr unsigned value_tile(unsigned block) { return key_tile(block) + 2 * kHalfTileBytes; }
};
using Loads = HalfLoads<Places>;
constexpr unsigned score_tile(unsigned group) { return Places::query_tile(group ^ 1) + kHalfTileBytes; }
constexpr unsigned probability_tile(unsigned group) {
  return kFp8 ? Places::query_tile(group ^ 1) + kQueryBytes : score_tile(group);
}
constexpr unsigned statistics_of(unsigned group) {
  return Places::query_tile(group) + kHalfTileBytes + kTileBytes;
}
constexpr unsigned kOutput = PLATFORM_SHARED_BASE + 3 * kBank;
// Of a group: what warps exchange, a factor for each query, and each thread's QueryState.
constexpr unsigned kFactors = kExchangeBytes, kMaxima = 2 * kExchangeBytes;
constexpr unsigned kSums = kMaxima + kGroupThreads * kWordBytes;
static_assert(kHalfTileBytes + kTileBytes + kSums + kGroupThreads * kWordBytes <= kBank);
static_assert(kWarps * kSavedBytes <= kBank && 4 * kHalfTileBytes <= kBank);

// Operand A: P in its cells; or of FP8, four keys to a word, behind the queries of the other group, which leave that
// room.
struct ProbabilityTile {
  static constexpr bool kFar = false;
  static constexpr unsigned kPanelRows = kTile, kWord = kVectorBytes;
  static constexpr unsigned kStep = kFp8 ? 8 * kWord : kCellBytes;
  static constexpr unsigned kEight = kKeySlots / 16 * kStep, kPanel = kEight * kTile / 8;
};
constexpr unsigned kCellRowBytes = kCellsOfRow * kCellBytes;
static_assert(kFp8 || ProbabilityTile::kEight == kCellRowBytes);
// Where a lane has its scores: a query's 16 keys, in two halves.
struct ScoreCells {
  static constexpr unsigned kNextBlock = 8 * kVectorBytes;
  static unsigned first(const TilePart& p) {
    return (p.row_block * kCellsOfRow + p.part) * kCellBytes + p.lane * kWordBytes;
  }
  static unsigned at(unsigned first, unsigned step) { return first + step * kVectorBytes; }
  static unsigned key(const TilePart&, unsigned step) { return step; }
};

// A warp's part of its group's tile, 16 queries by 8 keys or columns of the output, in its accumulators.
class Part : public OutputTile {
 public:
  using OutputTile::OutputTile;

  // A store touches two keys and four queries of each.
  __attribute__((always_inline)) void store_scores(unsigned tile) const {
    tile += (row_ / 8 * kCellsOfRow + column_ / 16) * kCellBytes + column_ % 16 * kVectorBytes;
    tile += tensor_core_column(lane_) * kVectorBytes + tensor_core_row(lane_) * kWordBytes;
    tensor_core_store<0, kVectorBytes>(tile, 2 * kWordBytes);
    tensor_core_store<1, kVectorBytes>(tile + kCellRowBytes, 2 * kWordBytes);
  }
};

ATTENTION_INLINE QueryState load_state(unsigned statistics, unsigned thread) {
  return {shared_load(statistics + kMaxima + thread * kWordBytes),
          shared_load(statistics + kSums + thread * kWordBytes), 0};
}
ATTENTION_INLINE void store_state(unsigned statistics, unsigned thread, const QueryState& state) {
  shared_store(statistics + kMaxima + thread * kWordBytes, state.maximum);
  shared_store(statistics + kSums + thread * kWordBytes, state.sum);
}
// The four warps that share queries have the same; each stores it in a place of its own, the first is
// read.
ATTENTION_INLINE void store_factor(unsigned statistics, const TilePart& p, float factor) {
  shared_store(exchange_word(statistics, p, p.part) + kFactors, factor);
}

#ifdef ATTENTION_FP8
BUILT_FOR("attention.fp8", 1);
#endif

/// A word of probabilities: two of FP16, or four of FP8, of which the first half comes first.
ATTENTION_INLINE void store_probabilities(unsigned tile, const TilePart& p, unsigned cell, unsigned word,
                                          const float* x) {
  const unsigned first = narrow_of(x[0]), second = narrow_of(x[1]), third = narrow_of(x[2]),
                 last = narrow_of(x[3]);
  if (kFp8) {
    const unsigned at = (p.row_block * (kKeySlots / 2) + p.part * 4 + word / 2) * kVectorBytes;
    shared_store_word(tile + at + p.lane * kWordBytes, first | second << 8 | third << 16 | last << 24);
    return;
  }
  shared_store_word(cell + word * kVectorBytes, first | second << 16);
  shared_store_word(cell + (word + 1) * kVectorBytes, third | last << 16);
}

/// Second half of the softmax: scores become probabilities, two keys to a word in place, or four to a word of `to`.
ATTENTION_INLINE void half_probabilities(unsigned tile, unsigned to, unsigned exchange, const TilePart& p,
                                         bool first_tile, QueryState& state) {
  raise_maximum(exchange, p, first_tile, state);
  float sum = state.sum * state.rescale;
  const float origin = state.maximum * -kScoreScale;
  const unsigned cell = tile + ScoreCells::first(p);
#pragma GCC unroll 4
  for (unsigned word = 0; word < 8; word += 2) {
    float x[4];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i)
      x[i] = fmaf(shared_load(cell + (2 * word + i) * kVectorBytes), kScoreScale, origin);
    softmax_exponential_four(x);
    store_probabilities(to, p, cell, word, x);
    sum += (x[0] + x[1]) + (x[2] + x[3]);
  }
  state.sum = sum;
}

static void kernel(unsigned thread, void*) {
  const Loads loads(arguments);
  const unsigned driver = thread == 0, warps = simt_warps(), all_blocks = loads.sequence / kTile;
  const unsigned queries = queries_of(arguments), o = static_cast<unsigned>(arguments.o);
  const unsigned group = thread / kGroupThreads, of_group = thread % kGroupThreads,
                 group_warps = warps / kGroups;
  const TilePart p(of_group);
  const Part part(of_group);
  const unsigned scores = score_tile(group), statistics = statistics_of(group);
  const unsigned probabilities = probability_tile(group);
  const unsigned output = kOutput + thread / kWarpLanes * kSavedBytes;
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
      loads.keys(0);
      matrix_unit_fence(kUnit);
      if (kFp8) Loads::rows_of_values();
    SIMT_END_IF
    store_state(statistics, of_group, new_query());
#pragma GCC unroll 4
    for (unsigned i = 0; i < kSavedBytes / kVectorBytes; ++i)
      shared_store(output + i * kVectorBytes + p.lane * kWordBytes, 0.0f);
    if (group == 0) simt_barrier(group, group_warps);  // the same for all lanes of a warp
    else simt_barrier(kGlobalBarrier, warps);
    const unsigned blocks = blocks_of(row, kGroups, all_blocks);
    for (unsigned block = 0; block < blocks; ++block) {
      SIMT_IF(driver)
        loads.keys_and_values(block + 1 < blocks ? block + 1 : 0, block);
      SIMT_END_IF
      if (block != 0) {
        part.restore(output);
        part.scale_rows(statistics + kFactors);
        part.multiply<ProbabilityTile, SwizzledB, kKeySlots / 2>(probabilities,
                                                                 Places::value_tile(block - 1));
        part.save(output);
      }
      Part::clear();
      part.multiply<QueryTile, SwizzledB, kHeadSlots / 2>(Places::query_tile(group), Places::key_tile(block));
      simt_barrier(group, group_warps);  // the probabilities are read
      part.store_scores(scores);
      simt_barrier(kGlobalBarrier, warps);
      {
        QueryState state = load_state(statistics, of_group);
        const int behind = behind_of(block, blocks, group, kGroups);
        if (kCausal && behind >= 0) mask_scores<ScoreCells>(scores, p, behind);
        row_maxima<ScoreCells>(scores, statistics, p, state);
        simt_barrier(group, group_warps);
        half_probabilities(scores, probabilities, statistics, p, block == 0, state);
        store_factor(statistics, p, state.rescale);
        store_state(statistics, of_group, state);
      }
      SIMT_IF(driver)
        matrix_unit_fence(kUnit);  // the next K and this V are there
      SIMT_END_IF
      simt_barrier(kGlobalBarrier, warps);
    }
    offer_sum(statistics, p, load_state(statistics, of_group));
    part.restore(output);
    part.scale_rows(statistics + kFactors);
    part.multiply<ProbabilityTile, SwizzledB, kKeySlots / 2>(probabilities, Places::value_tile(blocks - 1));
    part.save(output);
    simt_barrier(group, group_warps);
    store_factor(statistics, p, 1.0f / whole_sum(statistics, p));
    simt_barrier(group, group_warps);
    part.restore(output);
    part.scale_rows(statistics + kFactors);
    part.store(o + (row + group * kTile) * kHeadDim * kWordBytes, kHeadDim * kWordBytes);
    if (group == 0) simt_barrier(kGlobalBarrier, warps);  // the one that group 1 is behind
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
