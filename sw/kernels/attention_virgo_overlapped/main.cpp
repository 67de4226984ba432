// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the cluster's matrix unit, FP32, head dimension 64: the unit multiplies while the
// SIMT cores compute the softmax of another tile. Revision v2 (hexadecile commands, 256 KB of shared memory). With
// -DATTENTION_FP16 (attention_fp16_virgo_overlapped) for FP16 operands on the 16x16 unit (128 KB), with ATTENTION_BF16,
// ATTENTION_FP8_E4M3 or _E5M2 in addition for those; fp32.h and fp16.h have what differs.
//
// Shows: ping-pong over two groups of 64 queries, X and Y. While all warps work on the scores of
// one, the unit computes P V and the next scores Q K^T of the other, and the DMA brings K and V:
//
//   warps      softmax X0 | softmax Y0 | softmax X1     | softmax Y1     | ... O of X | O of Y
//   unit       S Y0       | PV X0, S X1| PV Y0, S Y1    | PV X1, S X2    | ... PV Y   | S X0 (next)
//   DMA        V0, K1     |            | V1, K2         |                | ... Q (next two groups)
//
// One thread (thread 0 of core 0) drives the unit. Every column ends with its poll until the unit
// is idle and a barrier of all warps (id 7); commands of the next column follow, which the unit
// queues. The accumulator cannot be scaled, so a product P V goes to shared memory (compute and
// store), and the warps add it: O = O * rescale + P V, one column after it was computed.
//
// Each operand pair of the unit is in two different banks (two hexadeciles each), the warps'
// tiles in other banks than those of the unit.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of
// 128, head dimension 64), or a machine without 256 threads in warps of 8.
#define ATTENTION_OVERLAPPED
#ifdef ATTENTION_FP16
#include "sw/kernels/attention_virgo_overlapped/fp16.h"
#else
#include "sw/kernels/attention_virgo_overlapped/fp32.h"
#endif

namespace attention {

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kExchange = tile_address(kExchangeTile);

class Warp {
 public:
  explicit Warp(unsigned thread) : p_(thread), warps_(simt_warps()) {}

  __attribute__((always_inline)) void barrier() const { simt_barrier(kGlobalBarrier, warps_); }

  // A group's queries are new.
  __attribute__((always_inline)) void begin(unsigned group) const {
    p_.each([&](const TilePart& p) __attribute__((always_inline)) {
      const unsigned output = output_address(group, p);
#pragma GCC unroll 4
      for (unsigned i = 0; i < kWords; ++i) shared_store(output + i * kVectorBytes, 0.0f);
    });
  }

  // Scores of tile `block`, of `blocks`, that the queries do not see.
  __attribute__((always_inline)) void mask(unsigned group, unsigned block, unsigned blocks) const {
    const int behind = behind_of(block, blocks, group, kGroups);
    if (behind >= 0) mask_tile(tile_address(score_tile(group)), p_, behind);
  }

  // Scores of tile `block` become probabilities; the product of the tile before joins the output.
  __attribute__((always_inline)) void softmax(unsigned group, unsigned block, QueryState& state) const {
    const unsigned tile = tile_address(score_tile(group));
    scores_maxima(tile, kExchange, p_, state);
    if (block != 0) add_product(group, state.rescale);
    barrier();
    scores_to_probabilities(tile, group, kExchange, p_, block == 0, state);
  }

  // The last product joins the output, which is divided by the sum and leaves. The words of a lane
  // are those of one query; through the product's tile they change to lanes of one row each, so
  // that a store covers 32 bytes of global memory.
  __attribute__((always_inline)) void finish(unsigned group, unsigned o, const QueryState& state) const {
    offer_sum(kExchange, p_, state);
    add_product(group, state.rescale);
    barrier();
    const float reciprocal = 1.0f / whole_sum(kExchange, p_);
    const unsigned staging = simt_opaque(tile_address(staging_tile(group)));
    p_.each([&](const TilePart& p) __attribute__((always_inline)) {
      const unsigned output = output_address(group, p);
#pragma GCC unroll 4
      for (unsigned step = 0; step < 8; ++step) {
        const StagingPair to(staging, p, step);
        shared_store(to.a, shared_load(output + 2 * step * kVectorBytes) * reciprocal);
        shared_store(to.b, shared_load(output + (2 * step + 1) * kVectorBytes) * reciprocal);
      }
    });
    simt_fence();
    p_.each([&](const TilePart& p) __attribute__((always_inline)) {
      const unsigned from =
          staging + (p.row_block * kBlocksInRow + p.part * 2) * kBlockBytes + p.lane * kWordBytes;
      const unsigned to = o + p.row_block * 8 * kOutputRowBytes + (p.part * 16 + p.lane) * kWordBytes;
#pragma GCC unroll 4
      for (unsigned row = 0; row < 8; ++row) {
        shared_store(to + row * kOutputRowBytes, shared_load(from + row * kVectorBytes));
        shared_store(to + row * kOutputRowBytes + kVectorBytes,
                     shared_load(from + row * kVectorBytes + kBlockBytes));
      }
    });
  }

 private:
  static constexpr unsigned kWords =
      kTile * kTile / kThreads / kPartsOfWarp;  // of a tile per thread and part

  // The output tile is the warps' own: the words of a warp's part are together, a lane has its word
  // bank.
  __attribute__((always_inline)) unsigned output_address(unsigned group, const TilePart& p) const {
    const unsigned number = kPartsOfWarp == 1 ? p.warp : p.row_block * 4 + p.part;
    return tile_address(output_tile(group)) + number * kWords * kVectorBytes + p.lane * kWordBytes;
  }

  // O = O * rescale + P V
  __attribute__((always_inline)) void add_product(unsigned group, float rescale) const {
    const unsigned product = tile_address(product_tile(group));
    p_.each([&](const TilePart& p) __attribute__((always_inline)) {
      const unsigned output = output_address(group, p);
#pragma GCC unroll 4
      for (unsigned step = 0; step < 8; ++step) {
        const ProductPair added(product, p, step);
        const unsigned a = output + 2 * step * kVectorBytes, b = a + kVectorBytes;
        shared_store(a, fmaf(shared_load(a), rescale, added.a()));
        shared_store(b, fmaf(shared_load(b), rescale, added.b()));
      }
    });
  }

  const TilePart p_;
  const unsigned warps_;
};

// Begins a column of the diagram: the unit is idle, every warp is through with the column before.
// The commands are made before the barrier, the settings of the first written while the unit still
// works: then the unit waits no longer than it must.
template <class Settings, class First>
ATTENTION_INLINE void column(unsigned driver, const Warp& warp, Settings settings, First first,
                             Command second, Command third) {
  SIMT_IF(driver)
    settings();
    matrix_unit_fence(kUnit);
  SIMT_END_IF
  warp.barrier();
  SIMT_IF(driver)
    if (first != kNone) give(first);
    if (second != kNone) give(second);
    if (third != kNone) give(third);
  SIMT_END_IF
}

static void kernel(unsigned thread, void*) {
  const Operands operands(arguments);
  const unsigned driver = thread == 0, blocks = operands.sequence / kTile;
  const unsigned queries = queries_of(arguments);
  const Warp warp(thread);
  SIMT_IF(driver)
    configure(operands);
  SIMT_END_IF
  warp.barrier();

  MARK_BEG();
  SIMT_IF(driver)
    set_queries(operands, 0, kGroups, query_tile(0), key_tile(0));
    load_queries(true);
    matrix_unit_fence(kUnit);
    give(scores(0, 0));
  SIMT_END_IF
  const auto nothing = [] {};
  for (unsigned row = 0; row < queries; row += kGroups * kTile) {
    const unsigned next_row = row + kGroups * kTile;
    const bool more = next_row < queries;
    QueryState x = new_query(), y = new_query();
    warp.begin(0);
    warp.begin(1);
#ifdef ATTENTION_CAUSAL
    const unsigned blocks = blocks_of(row, kGroups, 0);
#endif
    for (unsigned block = 0; block < blocks; ++block) {
      // The tile of K behind the last is the first, for the next two groups.
      const unsigned next = block + 1 < blocks ? block + 1 : 0;
      column(
          driver, warp, [&] { set_addresses(operands, operands.value(block), operands.key(next)); },
          next_tiles(operands, block, next), block != 0 ? product(1, block - 1) : kNone, scores(1, block));
      if constexpr (kCausal) warp.mask(0, block, blocks);
      warp.softmax(0, block, x);
      column(driver, warp, nothing, product(0, block), next != 0 ? scores(0, next) : kNone, kNone);
      if constexpr (kCausal) warp.mask(1, block, blocks);
      warp.softmax(1, block, y);
    }
    column(
        driver, warp,
        [&] {
          if (more) set_queries(operands, next_row, kGroups, query_tile(0), 0);
        },
        kNone, kNone, kNone);
    SIMT_IF(driver)
      if (more) load_queries(false);  // first: the settings are in the slot of the next loop
      give(product(1, blocks - 1));
    SIMT_END_IF
    warp.finish(0, operands.o + row * kOutputRowBytes, x);
    column(driver, warp, nothing, more ? scores(0, 0) : kNone, kNone, kNone);
    warp.finish(1, operands.o + (row + kTile) * kOutputRowBytes, y);
  }
  warp.barrier();
  MARK_END();
}

static int run() {
  if (!fits(arguments, kGroups * kTile)) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}

}  // namespace attention

ATTENTION_MAIN(attention::arguments) { return attention::run(); }
