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
// Operand A of wmma has a row per lane, so Q and P stand transposed in shared memory: eight rows at
// one k are the eight words of a line. P is written that way. Q is turned once per 64 queries.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of 64,
// head dimension 64), or a machine without 256 threads in warps of 8.
#include <matrix_unit.h>
#include <stdlib.h>

#include "sw/kernels/attention_common/online_softmax.h"
#include "sw/kernels/gemm_common/warp_tile.h"

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kUnit = 0;
constexpr unsigned kGlobalBarrier = 7;
constexpr unsigned kHexadecileBytes = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned kHexadecileRows = kHexadecileBytes / (MATRIX_UNIT_DIM * kWordBytes);
constexpr unsigned kBlocks = kTile / MATRIX_UNIT_DIM;
constexpr unsigned kRowBytes = kHeadDim * kWordBytes;  // of Q, V and O
static_assert(kHexadecileBytes == kTileBytes, "a tile fills one hexadecile");

// Hexadeciles; K and V have two buffers.
constexpr unsigned kQueries = 0, kTurnedQueries = 1, kScores = 6, kOutput = 8, kStatistics = 10;
constexpr unsigned key_tile(unsigned buffer) { return 2 + buffer; }
constexpr unsigned value_tile(unsigned buffer) { return 4 + buffer; }
constexpr unsigned tile_address(unsigned hexadecile) {
  return PLATFORM_SHARED_BASE + hexadecile * kHexadecileBytes;
}
// In the last of them: what warps exchange, a factor for each query, and each thread's QueryState,
// which would not survive the multiplications in registers.
constexpr unsigned kExchange = tile_address(kStatistics);
constexpr unsigned kFactors = kExchange + kExchangeBytes;
constexpr unsigned kMaxima = kFactors + kTile * kWordBytes;
constexpr unsigned kSums = kMaxima + kThreads * kWordBytes;

// ---- the driver's part ----

struct Operands {
  unsigned sequence, q, k, v, o;
};

// Path A of the DMA has rows of Q and V, path B rows of the transposed K.
static inline void configure(const Operands& operands) {
  matrix_unit_config_execute(kUnit);
  matrix_unit_config_load(kUnit, 0, kRowBytes);
  matrix_unit_config_load(kUnit, 1, operands.sequence * kWordBytes);
  matrix_unit_config_store(kUnit, kRowBytes);
}

static inline void load_queries(const Operands& operands, unsigned row) {
  matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
  matrix_unit_loop_address_ab(kUnit, operands.q + row * kRowBytes, 0);
  matrix_unit_loop_stride_ab(kUnit, kHeadDim, 0);
  matrix_unit_loop_spad_ab(kUnit, kQueries * kHexadecileRows, 0);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | MATRIX_UNIT_LOOP_SKIP_LOAD_B, 0, 0);
}

static inline void load_keys_and_values(const Operands& operands, unsigned block) {
  matrix_unit_loop_address_ab(kUnit, operands.v + block * kTile * kRowBytes,
                              operands.k + block * kTile * kWordBytes);
  matrix_unit_loop_stride_ab(kUnit, kHeadDim, operands.sequence);
  matrix_unit_cisc(kUnit, MATRIX_UNIT_H_LOAD | value_tile(block & 1) << MATRIX_UNIT_H_A_SHIFT |
                              key_tile(block & 1) << MATRIX_UNIT_H_B_SHIFT);
}

// ---- all warps' part ----

// Q from the DMA's order, a query in a row, to one with eight queries in a row. The words of a lane
// are those of one query in both.
ATTENTION_INLINE void turn_queries(const TilePart& p) {
  const unsigned from = tile_address(kQueries) + QueryRows::first(p);
  const unsigned to = tile_address(kTurnedQueries) + QueryColumns::first(p);
#pragma GCC unroll 4
  for (unsigned step = 0; step < 8; ++step) {
    const unsigned address = QueryRows::at(from, step);
    const unsigned target = to + (step ^ p.lane) * kVectorBytes;
    shared_store(target, shared_load(address));
    shared_store(target + QueryColumns::kNextBlock, shared_load(address + QueryRows::kNextBlock));
  }
}

ATTENTION_INLINE QueryState load_state(unsigned thread) {
  return {shared_load(kMaxima + thread * kWordBytes), shared_load(kSums + thread * kWordBytes), 0};
}
ATTENTION_INLINE void store_state(unsigned thread, const QueryState& state) {
  shared_store(kMaxima + thread * kWordBytes, state.maximum);
  shared_store(kSums + thread * kWordBytes, state.sum);
}
// The four warps that share queries store the same.
ATTENTION_INLINE void store_factor(const TilePart& p, float factor) {
  shared_store(kFactors + (p.row_block * 8 + p.lane) * kWordBytes, factor);
}

ATTENTION_INLINE void begin_queries(const TilePart& p, unsigned thread, unsigned output) {
  store_state(thread, new_query());
  turn_queries(p);
#pragma GCC unroll 4
  for (unsigned i = 0; i < WarpTile::kSavedBytes / kVectorBytes; ++i)
    shared_store(output + i * kVectorBytes + p.lane * kWordBytes, 0.0f);
}

static void kernel(unsigned thread, void*) {
  const Operands operands = {arguments.sequence, static_cast<unsigned>(arguments.q),
                             static_cast<unsigned>(arguments.k), static_cast<unsigned>(arguments.v),
                             static_cast<unsigned>(arguments.o)};
  const unsigned driver = thread == 0, warps = simt_warps(), blocks = operands.sequence / kTile;
  const TilePart p(thread);
  const WarpTile part(thread);
  const unsigned scores = tile_address(kScores);
  const unsigned output = tile_address(kOutput) + p.warp * WarpTile::kSavedBytes;
  SIMT_IF(driver)
    configure(operands);
    matrix_unit_fence(kUnit);
  SIMT_END_IF
  simt_barrier(kGlobalBarrier, warps);

  MARK_BEG();
  for (unsigned row = 0; row < operands.sequence; row += kTile) {
    SIMT_IF(driver)
      load_queries(operands, row);
      load_keys_and_values(operands, 0);
      matrix_unit_fence(kUnit);
    SIMT_END_IF
    simt_barrier(kGlobalBarrier, warps);
    begin_queries(p, thread, output);
    for (unsigned block = 0; block < blocks; ++block) {
      simt_barrier(kGlobalBarrier, warps);  // the buffers of the block before are free
      const unsigned loads = driver & (block + 1 < blocks);
      SIMT_IF(loads)
        load_keys_and_values(operands, block + 1);
      SIMT_END_IF
      WarpTile::clear();
      part.multiply<BlocksOfEight>(tile_address(kTurnedQueries), tile_address(key_tile(block & 1)));
      part.store_transposed<BlocksOfEight>(scores);
      simt_barrier(kGlobalBarrier, warps);
      {
        QueryState state = load_state(thread);
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
      part.multiply<BlocksOfEight>(scores, tile_address(value_tile(block & 1)));
      part.save(output);
    }
    simt_barrier(kGlobalBarrier, warps);  // the factors are free
    offer_sum(kExchange, p, load_state(thread));
    simt_barrier(kGlobalBarrier, warps);
    store_factor(p, 1.0f / whole_sum(kExchange, p));
    simt_barrier(kGlobalBarrier, warps);
    part.restore(output);
    part.scale_rows(kFactors);
    part.store(operands.o + row * kRowBytes, kRowBytes);
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

int main() { return attention::run(); }
