// SPDX-License-Identifier: Apache-2.0
// C = A * B with the tensor cores inside the SIMT cores and the matrix unit's DMA (Ampere style).
// 16 x 8 of a tile per warp. FP32 (gemm_tc_dma, quartile commands) or FP16 with FP32 sums
// (gemm_fp16_ampere, hexadecile commands; with -DGEMM_QUARTILE gemm_fp16_ampere_quartile, quartile
// commands of 12-bit strides, as the published kernels give them); gemm_common/tile_shape.h has the tiles.
//
// Shows: thread 0 starts the load of block t + 1 before the warps multiply block t and polls the
// unit afterwards; two barriers per k block. A lies in quarters 0 and 1 of shared memory, B in
// quarters 2 and 3. FP32: the first load of each output tile is waited for. FP16: only that of the first
// tile (gemm_common/block_loads.h).
//
// FP32: A comes column-major (k rows of m elements), as in the published runs. The DMA writes what it
// loads in blocks of 8 x 8. Of a row-major A the lanes of a warp, a row each, would load words that
// lie in one word bank, one after the other through the unaligned path: 8 cycles for each of the
// loads of the cluster, an order of magnitude more than the multiplications. Of a column-major A,
// as of B, they load eight words side by side.
//
// FP16: a word must hold two elements of k, and the DMA writes blocks of 16 x 16. A and B come row-major,
// with their elements exchanged in squares, so that eight words at one k lie side by side in a block:
//   A  in squares of 8 rows and 8 words of two elements: row r, word w have what belongs to row w, word r;
//   B  in squares of 2 rows and 16 columns: row r, column c have the element of row c % 2, column 8 r + c / 2.
// With -DGEMM_PUBLISHED (gemm_fp16_ampere_published) shared memory has a row of 128 (B: 64) words for each word of k, as
// the published source reads it, and A and B come in that order (layout rows_of_k in platform/workloads/operand_layout.h).
// Its inner loop has the instructions of that source (gemm_common/warp_tile.h).
//
// With -DGEMM_SWISH (gemm_tc_dma_swish, FP32): C = swish(A * B), built as the published kernel is. The
// warps are specialised: four of each core multiply, on tiles of 64 x 32; the other four activate a tile in
// global memory (gemm_common/swish_parts.h). The DMA's commands know tiles of 64 x 64 only: all columns of B move
// for each half of them, and A moves for each 32 columns. The first group has barrier 1 to itself in the k loop; both
// meet at barrier 0, once per tile, before C is written.
//
// With -DGEMM_SWISH -DGEMM_OVERLAPPED (gemm_tc_dma_swish_overlapped), the better program: LOOP_WS loads just what is
// needed, both groups synchronise when C is written, and what is activated is the tile that the other group has just
// finished, from registers (gemm_common/swish.h).
//
// With GEMM_EPILOGUE elements of C become what gemm_common/epilogue.h says, by way of the buffer that was multiplied
// last.
//
// Arguments: gemm_common/gemm_arguments.h, A column-major, B and C row-major (FP16: A and B as
// above), sizes multiples of the tile. Prints "cycles: N": from the first tile to the
// moment the last result is in global memory. Exit code 2: sizes, or a machine with another number
// of threads.
#define GEMM_MARKS_FIRST_LOAD
#include <matrix_unit.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/reshaped_operands.h"
#include "sw/kernels/gemm_common/swish.h"
#include "sw/kernels/gemm_common/swish_parts.h"
#include "sw/kernels/gemm_common/tensor_gemm.h"

GEMM_ARGUMENTS(arguments);

#ifdef GEMM_FP16
#include "sw/kernels/gemm_common/block_loads.h"

#ifdef GEMM_PUBLISHED
using TileA = RowOfK<kTileM>;
using TileB = RowOfK<kTileN>;
#else
using TileA = SwizzledA;
using TileB = SwizzledB;
#endif
constexpr bool kAcrossTiles = true;  // the last block of an output tile loads the first of the next
using Loads = BlockLoads<kTileM, kTileN, kTileK>;
#else
BUILT_FOR_WORD("matrix_unit.command_set", "quartile_v1|quartile");
#ifdef GEMM_RESHAPED
BUILT_FOR("gemm.reshaped", 1);
#endif

using TileA = Blocks<kTileM>;
using TileB = Blocks<kLoadN>;
constexpr bool kAcrossTiles = false;

// The driver's part; addresses and sizes in elements.
struct Loads {
  static constexpr unsigned kUnit = 0, kUnitTile = 64;  // of its commands
  unsigned a, b, m, n, k;

  void configure() const {
    matrix_unit_config_execute(kUnit);
#ifdef GEMM_RESHAPED
    OperandA::configure(kUnit, MATRIX_UNIT_DIM, 0, row_a(), arguments.scale_a);
    OperandB::configure(kUnit, MATRIX_UNIT_DIM, 1, row_b(), arguments.scale_b);
#else
    matrix_unit_config_load(kUnit, 0, m * kWordBytes);
    matrix_unit_config_load(kUnit, 1, n * kWordBytes);
#endif
    matrix_unit_config_store(kUnit, n * kWordBytes);
    wait();
  }
  // The first block of a tile, and the one behind block `at`.
  void first(unsigned i, unsigned j) const {
    start(i, j, 0, 0);
    wait();
  }
  void next(unsigned i, unsigned j, unsigned at, unsigned buffer) const { start(i, j, at + kTileK, buffer); }
  static void wait() { matrix_unit_fence(kUnit); }

  // Words of a row of memory. A is stored by columns, a row for each k.
  unsigned row_a() const { return OperandA::row(k, m); }
  unsigned row_b() const { return OperandB::row(k, n); }
  // The addresses and strides go to the slot of the next loop, so they are given every time.
  void address(unsigned i, unsigned j, unsigned at) const {
    matrix_unit_loop_address_ab(kUnit, a + OperandA::at(at, i, row_a()),
                                b + OperandB::at(at, j / kLoadN * kLoadN, row_b()));
    matrix_unit_loop_stride_ab(kUnit, row_a(), row_b());
  }
  void start(unsigned i, unsigned j, unsigned at, unsigned buffer) const {
    address(i, j, at);
    constexpr unsigned kRows = kQuarterBytes / (MATRIX_UNIT_DIM * kWordBytes);
    if constexpr (kTileM !=
                  kTileWords) {  // a loop knows one extent for rows of A and columns of B: one for each
      matrix_unit_loop_bounds(kUnit, kTileWords / MATRIX_UNIT_DIM, kLoadN / MATRIX_UNIT_DIM,
                              kTileM / MATRIX_UNIT_DIM);
      matrix_unit_loop_spad_ab(kUnit, buffer * kRows, (3 + buffer) * kRows);
      matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | MATRIX_UNIT_LOOP_SKIP_LOAD_B, 0, 0);
      address(i, j, at);
      matrix_unit_loop_bounds(kUnit, kTileM / MATRIX_UNIT_DIM, kLoadN / MATRIX_UNIT_DIM,
                              kTileWords / MATRIX_UNIT_DIM);
      matrix_unit_loop_spad_ab(kUnit, buffer * kRows, (3 + buffer) * kRows);
      matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | MATRIX_UNIT_LOOP_SKIP_LOAD_A, 0, 0);
      return;
    }
    if constexpr (kTileM != kUnitTile || kLoadN != kUnitTile) {  // there is no command for such a tile
      matrix_unit_loop_bounds(kUnit, kTileWords / MATRIX_UNIT_DIM, kLoadN / MATRIX_UNIT_DIM,
                              kTileM / MATRIX_UNIT_DIM);
      matrix_unit_loop_spad_ab(kUnit, buffer * kRows, (3 + buffer) * kRows);
      matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0);
      return;
    }
    matrix_unit_cisc(kUnit, buffer != 0 ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
  }
};
#endif

// Barriers: of the warps that multiply, and of all, once per tile.
#if defined(GEMM_SWISH) && !defined(GEMM_OVERLAPPED)
constexpr unsigned kBlockBarrier = 1, kTileBarrier = 0;
#else
constexpr unsigned kBlockBarrier = 0;
[[maybe_unused]] constexpr unsigned kTileBarrier = 1;
#endif

#ifdef GEMM_OVERLAPPED
// The second group; `thread`: number in it. A thread activates a column of the part of a tile that
// the warp of its number has computed, on the same core.
static void activate_tiles(unsigned thread) {
  const unsigned m = arguments.m, n = arguments.n, row = n * kWordBytes, warps = used_warps();
  const WarpTile part(thread);
  const unsigned c = static_cast<unsigned>(arguments.c) + part.row() * row +
                     (part.column() + thread % kWarpThreads) * kWordBytes;
  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN) {
      const unsigned first = c + i * row + j * kWordBytes;
      const auto from = [&](unsigned y) {
        return reinterpret_cast<const volatile unsigned*>(first + y * row);
      };
      const auto to = [&](unsigned y) {
        return reinterpret_cast<volatile float*>(simt_opaque(first) + y * simt_opaque(row));
      };
      simt_barrier(kTileBarrier, warps);
      activate<kPartRows>(from, to, true, [] {});
    }
  }
  simt_barrier(0, warps);  // as at the end of the first group
}
#elif defined(GEMM_SWISH)
// Likewise, a part for each warp of the group.
static void activate_tiles(unsigned thread) {
  const unsigned m = arguments.m, n = arguments.n, warps = used_warps();
  const WarpTile part(thread);
  const SwishPart swish{static_cast<unsigned>(arguments.c), n * kWordBytes, part.row(), part.column()};
  static_assert(SwishPart::kRows == kPartRows && SwishPart::kColumns == kPartColumns);
  TilePosition<kTileM, kTileN> finished;  // what is activated next
  const unsigned tiles = m / kTileM * (n / kTileN);
  for (unsigned tile = 0; tile <= tiles + 1; ++tile) {  // the last two when all are stored
    if (tile >= 2) {
      swish.activate(finished.row, finished.column);
      finished.next(n);
    }
    if (tile <= tiles) simt_barrier(kTileBarrier, warps);
  }
  simt_barrier(0, warps);  // as at the end of the first group
}
#endif

static void kernel(unsigned thread, void*) {
#ifdef GEMM_SWISH
  if (thread >= kThreads) {  // the same for all lanes of a warp
    activate_tiles(thread - kThreads);
    return;
  }
#endif
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k, row = n * kWordBytes;
  [[maybe_unused]] const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, all_warps = used_warps(), warps = all_warps / kGroups;
  const Loads loads{static_cast<unsigned>(arguments.a), static_cast<unsigned>(arguments.b), m, n, k};
  const WarpTile part(thread);
  unsigned buffer = 0;

  SIMT_IF(driver)
    loads.configure();
  SIMT_END_IF

  TIMED_TILES(i, j, m, n)
  WarpTile::clear();
  if (!kAcrossTiles || (i | j) == 0) {
    SIMT_IF(driver)
      MARK_FIRST_LOAD();
      loads.first(i, j);
    SIMT_END_IF
    if (kAcrossTiles) simt_barrier(kBlockBarrier, warps);
    buffer = 0;
  }
  for (unsigned at = 0; at < k; at += kTileK) {
    MARK_BLOCK_BEG();
    const unsigned loading = driver & (kAcrossTiles | (at + kTileK < k));
    SIMT_IF(loading)
      loads.next(i, j, at, buffer ^ 1);
    SIMT_END_IF
    simt_barrier(kBlockBarrier, warps);
    part.multiply<TileA, TileB>(shared_a(buffer), shared_b(buffer) + j % kLoadN / 8 * TileB::kEight);
    SIMT_IF(driver)
      loads.wait();
    SIMT_END_IF
    simt_barrier(kBlockBarrier, warps);
    MARK_BLOCK_END();
    buffer ^= 1;
  }
#if defined(GEMM_SWISH) && !defined(GEMM_OVERLAPPED)
  simt_barrier(kTileBarrier, all_warps);
#endif
#ifdef GEMM_EPILOGUE
  part.finish(arguments, shared_a(buffer ^ 1), n, i, j);
  simt_barrier(kBlockBarrier, warps);  // before the next load into that buffer
#else
  part.store(c + i * row + j * kWordBytes, row);
#endif
#ifdef GEMM_OVERLAPPED
  simt_barrier(kTileBarrier, all_warps);
#elif defined(GEMM_SWISH)
  if (i + kTileM == m && j + kTileN == n) simt_barrier(kTileBarrier, all_warps);  // the last tile is stored
#endif
  TIMED_TILES_END(driver, all_warps)
}

GEMM_MAIN(arguments) { return run_tensor_gemm(arguments, kernel); }
