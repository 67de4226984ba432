// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the tensor cores inside the SIMT cores and the matrix unit's
// DMA, FP32, head dimension 64. Revision v2 (hexadecile commands, 256 KB of shared memory).
//
// Shows: synchronous multiplications. Each tile of 64 queries x 64 keys goes through four steps,
// with all 32 warps in each and a barrier (id 7) between them:
//   1. scores = Q K^T, a part of 16 x 8 per warp, from the accumulators to shared memory;
//   2. row maxima;
//   3. probabilities, in place;
//   4. O: accumulators from shared memory, times the rescaling of their rows, plus P V, and back.
// The DMA brings the next tiles of K and V meanwhile.
//
// Operand A of wmma has a row per lane, so Q and P are transposed in shared memory: eight rows at
// one k are the eight words of a line. P is written that way. Q is turned once per 64 queries.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of 64,
// head dimension 64), or a machine without 256 threads in warps of 8.
#define ATTENTION_OVERLAPPED
#include "sw/kernels/attention_common/causal.h"
#include "sw/kernels/attention_common/online_softmax.h"
#include "sw/kernels/attention_common/output_tile.h"
#include "sw/kernels/attention_common/unit_tiles.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

// Hexadeciles; K and V have two buffers.
constexpr unsigned kQueries = 0, kTurnedQueries = 1, kScores = 6, kOutput = 8, kStatistics = 10;
constexpr unsigned key_tile(unsigned block) { return 2 + (block & 1); }
constexpr unsigned value_tile(unsigned block) { return 4 + (block & 1); }
// In the last of them: what warps exchange, a factor for each query, and each thread's QueryState,
// which would not survive the multiplications in registers.
constexpr unsigned kExchange = tile_address(kStatistics);
constexpr unsigned kFactors = kExchange + kExchangeBytes;
constexpr unsigned kMaxima = kFactors + kExchangeBytes;
constexpr unsigned kSums = kMaxima + kThreads * kWordBytes;

// The driver's part.
static inline void load_keys_and_values(const Operands& operands, unsigned block) {
  set_addresses(operands, operands.value(block), operands.key(block));
  matrix_unit_cisc(kUnit, load_command(value_tile(block), key_tile(block)));
}

// A warp's part of a tile, 16 queries by 8 keys or columns of the output, in its accumulators.
class Part : public OutputTile {
 public:
  using OutputTile::OutputTile;

  // To a tile in the order QueryColumns. A store touches two keys and four queries of each.
  __attribute__((always_inline)) void store_scores(unsigned tile) const {
    tile += row_ / 8 * kBlockBytes + tensor_core_row(lane_) * kWordBytes;
    tile += column_ / 8 * QueryColumns::kNextBlock + tensor_core_column(lane_) * kVectorBytes;
    tensor_core_store<0, kVectorBytes>(tile, 2 * kWordBytes);
    tensor_core_store<1, kVectorBytes>(tile + kBlockBytes, 2 * kWordBytes);
  }
};

ATTENTION_INLINE QueryState load_state(unsigned thread) {
  return {shared_load(kMaxima + thread * kWordBytes), shared_load(kSums + thread * kWordBytes), 0};
}
ATTENTION_INLINE void store_state(unsigned thread, const QueryState& state) {
  shared_store(kMaxima + thread * kWordBytes, state.maximum);
  shared_store(kSums + thread * kWordBytes, state.sum);
}
// The four warps that share queries have the same; each stores it in a place of its own, the first is read.
ATTENTION_INLINE void store_factor(const TilePart& p, float factor) {
  shared_store(exchange_word(kExchange, p, p.part) + kExchangeBytes, factor);
}

ATTENTION_INLINE void begin_queries(const TilePart& p, unsigned thread, unsigned output) {
  store_state(thread, new_query());
  turn_queries(p, tile_address(kQueries), tile_address(kTurnedQueries));
#pragma GCC unroll 4
  for (unsigned i = 0; i < Part::kSavedBytes / kVectorBytes; ++i)
    shared_store(output + i * kVectorBytes + p.lane * kWordBytes, 0.0f);
}

static void kernel(unsigned thread, void*) {
  const Operands operands(arguments);
  const unsigned driver = thread == 0, warps = simt_warps(), all_blocks = operands.sequence / kTile;
  const unsigned queries = queries_of(arguments);
  const TilePart p(thread);
  const Part part(thread);
  const unsigned scores = tile_address(kScores);
  const unsigned output = tile_address(kOutput) + p.warp * Part::kSavedBytes;
  SIMT_IF(driver)
    configure(operands);
  SIMT_END_IF
  simt_barrier(kGlobalBarrier, warps);

  MARK_BEG();
  for (unsigned row = 0; row < queries; row += kTile) {
    SIMT_IF(driver)
      set_queries(operands, row, 1, kQueries, 0);
      load_queries(false);
      load_keys_and_values(operands, 0);
      matrix_unit_fence(kUnit);
    SIMT_END_IF
    simt_barrier(kGlobalBarrier, warps);
    begin_queries(p, thread, output);
    const unsigned blocks = blocks_of(row, 1, all_blocks);
    for (unsigned block = 0; block < blocks; ++block) {
      simt_barrier(kGlobalBarrier, warps);  // the buffers of the block before are free
      const unsigned loads = driver & (block + 1 < blocks);
      SIMT_IF(loads)
        load_keys_and_values(operands, block + 1);
      SIMT_END_IF
      Part::clear();
      part.multiply<Blocks<64>, Blocks<64>>(tile_address(kTurnedQueries), tile_address(key_tile(block)));
      part.store_scores(scores);
      simt_barrier(kGlobalBarrier, warps);
      {
        QueryState state = load_state(thread);
        if (kCausal && block + 1 == blocks) mask_scores<QueryColumns>(scores, p, 0);
        row_maxima<QueryColumns>(scores, kExchange, p, state);
        simt_barrier(kGlobalBarrier, warps);
        probabilities<QueryColumns>(scores, kExchange, p, block == 0, state);
        store_factor(p, state.rescale);
        store_state(thread, state);
      }
      SIMT_IF(driver)
        matrix_unit_fence(kUnit);  // the next block is there
      SIMT_END_IF
      simt_barrier(kGlobalBarrier, warps);
      part.restore(output);
      part.scale_rows(kFactors);
      part.multiply<Blocks<64>, Blocks<64>>(scores, tile_address(value_tile(block)));
      part.save(output);
    }
    simt_barrier(kGlobalBarrier, warps);  // the factors are free
    offer_sum(kExchange, p, load_state(thread));
    simt_barrier(kGlobalBarrier, warps);
    store_factor(p, 1.0f / whole_sum(kExchange, p));
    simt_barrier(kGlobalBarrier, warps);
    part.restore(output);
    part.scale_rows(kFactors);
    part.store(operands.o + row * kOutputRowBytes, kOutputRowBytes);
  }
  simt_barrier(kGlobalBarrier, warps);
  MARK_END();
}

static int run() {
  if (!fits(arguments, kTile)) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}

}  // namespace attention

ATTENTION_MAIN(attention::arguments) { return attention::run(); }
