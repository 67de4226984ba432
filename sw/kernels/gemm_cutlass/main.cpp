// SPDX-License-Identifier: Apache-2.0
// C = A * B by tensor cores of fragments in registers (wmma.h), in the structure of CUTLASS.
//
// Shows: three stages that overlap, each with two buffers. While the warps multiply a block tile of k, all threads load
// the next one from global memory into registers and store it to the other half of shared memory; while a warp
// multiplies a slice of 16 of k, it loads the fragments of the next slice. C stays in registers. One barrier per tile
// of k. At the end C goes through shared memory, so that stores fill whole lines.
//
// With GEMM_STAGES there are that many buffers in shared memory; asynchronous copies (pipeline.h) fill all but the one
// that is multiplied: the way through registers, and the instructions for it, are gone. GEMM_K_CONTIGUOUS only.
//
// With GEMM_WORK_GROUPS it is a kernel for a grid of work groups, one for each tile of C; with GEMM_ONE_BUFFER there is
// one buffer in shared memory, which is filled between two barriers, in the order of CUTLASS 1.3. GEMM_A_CONTIGUOUS and
// GEMM_B_CONTIGUOUS are GEMM_K_CONTIGUOUS for one operand. With GEMM_MULTICAST, warps that load the same fragments mark
// these loads. With GEMM_SCALES operands have block scales (cutlass_common/block_tile.h). With GEMM_EPILOGUE elements of
// C become what gemm_common/epilogue.h says on their way from shared memory.
//
// Tiles    GEMM_BLOCK_M x GEMM_BLOCK_N x GEMM_BLOCK_K per block, shared by GEMM_WARPS_M x GEMM_WARPS_N warps of the
//          cluster; the blocks one after the other
// Shared   (without GEMM_K_CONTIGUOUS) squares of 16x16, k by k, so that the words of a fragment lie in different
//          banks; (with it) rows of GEMM_BLOCK_K elements and 8 more
//
// Arguments: gemm_common/gemm_arguments.h; A column-major and B row-major, with GEMM_K_CONTIGUOUS A row-major and B
// column-major, FP16; C row-major, FP32 or with GEMM_HALF_SUMS FP16; sizes are multiples of the tile.
// Prints "cycles: N": from the start to the moment all cores are done.
#ifdef GEMM_CUTLASS13  // wmma_gemm of CUTLASS 1.3
#define GEMM_WORK_GROUPS
#define GEMM_ONE_BUFFER
#define GEMM_BLOCK_M 128
#define GEMM_BLOCK_N 128
#define GEMM_BLOCK_K 64
#define GEMM_WARPS_M 2
#define GEMM_WARPS_N 4
#define GEMM_REGISTERS 128
#endif

#include <pipeline.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

#include "sw/kernels/gemm_common/gemm_strides.h"

#ifndef GEMM_BLOCK_M
#define GEMM_BLOCK_M 256
#define GEMM_BLOCK_N 128
#define GEMM_BLOCK_K 32
#define GEMM_WARPS_M 4
#define GEMM_WARPS_N 2
#endif
#include "sw/kernels/cutlass_common/block_tile.h"
#ifdef GEMM_WORK_GROUPS
#include <spica/group.h>
#ifndef GEMM_REGISTERS
#define GEMM_REGISTERS 255  // of a thread; the most that it can have on these machines, fragments among them
#endif
#endif

GEMM_ARGUMENTS(arguments);

namespace {

#ifdef GEMM_WORK_GROUPS
#define SHARED_MEMORY spica::group_shared<float>()
#define WARPS_OF_CORE 0  // of the work group, all of them
#else
#define SHARED_MEMORY PLATFORM_SHARED_BASE
#define WARPS_OF_CORE (kWarpsM * kWarpsN / simt_cores())  // that share a tile
#endif

#ifdef GEMM_EPILOGUE
using Result = Epilogue::Output;
#else
using Result = Sum;
#endif

struct Product {
  unsigned m, n, k;
  const float *a, *b;
  Result* c;
#ifdef GEMM_SCALES
  const uint8_t *scales_a, *scales_b;
#endif
};

/// The tiles of a block one after the other in memory, for one thread.
struct Source {
  const float *a, *b;
  unsigned row_words_a, row_words_b;  // from row to row,
  unsigned tile_words_a, tile_words_b;  // and from tile to tile of k
};

/// A's tile of k that begins at `k`: behind the one at `a`, or (GEMM_STRIDED) where its run is. `first`: at k = 0.
SIMT_INLINE const float* next_tile_of_a(const float* a, const float* first, unsigned tile_words, unsigned k) {
#ifdef GEMM_STRIDED
  if (kContiguousA) return k < arguments.k ? first + gemm_column_of_a(arguments, k) / 2 : a;
#endif
  (void)first, (void)k;
  return a + tile_words;
}

// A barrier waits for the accesses of its warp (core.barrier_waits_for_memory), a fence for all of the core.
#ifdef GEMM_MULTICAST
#define GEMM_BARRIER simt_bar
#else
#define GEMM_BARRIER simt_barrier
#endif

/// Multiplies all tiles of k, with asynchronous copies: those of a tile are a group, and while a tile is multiplied the
/// ones behind it are on their way.
[[maybe_unused]] SIMT_INLINE void multiply_tiles_async(const Product& p, Place& place, Source source,
                                                       unsigned warps) {
  constexpr unsigned kAhead = kStages == 0 ? 1 : kStages - 1, kEnd = kStages * kBufferWords;
  const float* const first_a = source.a;
  source.a += gemm_column_of_a(arguments, 0) / 2;
  unsigned k = 0, fill = 0;  // what is copied next: of k, and into which buffer
  const auto copy = [&]() __attribute__((always_inline)) {
    if (k < p.k) {
      TileA::copy(place.a + fill, source.a, source.row_words_a);
      TileB::copy(place.b + fill, source.b, source.row_words_b);
      source.a = next_tile_of_a(source.a, first_a, source.tile_words_a, k + kBlockK);
      source.b += source.tile_words_b;
      k += kBlockK;
      fill += kBufferWords;
      if (fill == kEnd) fill = 0;
    }
    pipeline_commit();  // an empty group behind the last tile: the number to wait for stays
  };
  for (unsigned i = 0; i < kAhead; ++i) copy();
  pipeline_wait_prior<kAhead - 1>();
  simt_barrier(0, warps);
  load_fragments<0>(Slice::at<0>(place, 0));

  unsigned buffer = 0;  // of the tile that is multiplied, in words
  for (unsigned left = p.k - kBlockK; left != 0; left -= kBlockK) {
    copy();
    unrolled<kSlices - 1>([&](auto slice) {
      constexpr unsigned now = decltype(slice)::value;
      multiply<now % 2, now + 1, true>(place, buffer);
    });
    buffer += kBufferWords;
    if (buffer == kEnd) buffer = 0;
    pipeline_wait_prior<kAhead - 1>();
    simt_barrier(0, warps);
    place.scales.advance();
    multiply<(kSlices - 1) % 2, 0, true>(place, buffer);
  }
  unrolled<kSlices - 1>([&](auto slice) {
    constexpr unsigned now = decltype(slice)::value;
    multiply<now % 2, now + 1, true>(place, buffer);
  });
  multiply<(kSlices - 1) % 2, 0, false>(place, buffer);
}

/// The same with one buffer in shared memory, in the order of CUTLASS 1.3 (cutlass/gemm/gemm_mainloop.h, consume_tile):
/// all fragments of a slice are loaded before the slice before it is multiplied; the next tile is stored, between two
/// barriers, before the last slice but one is multiplied. The last tile has these barriers and stores as all others.
[[maybe_unused]] SIMT_INLINE void multiply_tiles_in_one_buffer(const Product& p, Place& place, Source source,
                                                               unsigned warps) {
  TileA::Moved moved_a;
  TileB::Moved moved_b;
  const auto load = [&]() __attribute__((always_inline)) {
    TileA::load(moved_a, source.a, source.row_words_a);
    TileB::load(moved_b, source.b, source.row_words_b);
  };
  const auto store = [&]() __attribute__((always_inline)) {
    TileA::store(moved_a, place.a);
    TileB::store(moved_b, place.b);
    GEMM_BARRIER(0, warps);
  };
  const float* const first_a = source.a;
  if (kContiguousA) source.a += gemm_column_of_a(arguments, 0) / 2;
  load();
  store();
  load_fragments<0>(Slice::at<0>(place, 0));
  for (unsigned k = kBlockK;; k += kBlockK) {
    if (k < p.k) {
      source.a = next_tile_of_a(source.a, first_a, source.tile_words_a, k);
      source.b += source.tile_words_b;
      load();
    }
    unrolled<kSlices>([&](auto slice) {
      constexpr unsigned now = decltype(slice)::value;
      if (now + 1 == kSlices && k < p.k) place.scales.advance();
      load_fragments<1 - now % 2>(Slice::at<(now + 1) % kSlices>(place, 0));
      if constexpr (now + 2 == kSlices) {
        GEMM_BARRIER(0, warps);  // all have loaded the last fragments of the tile
        store();
      }
      multiply_columns<now % 2>();
    });
    if (k >= p.k) return;
  }
}

void block(const Product& p, unsigned thread, unsigned block_row, unsigned block_column) {
  const unsigned warp = thread / kLanes;
#ifdef GEMM_MULTICAST  // as in CUTLASS: warps that are neighbours are below each other
  const unsigned warp_row = warp % kWarpsM * kRows, warp_column = warp / kWarpsM * kColumns;
#else
  const unsigned warp_row = warp / kWarpsN * kRows, warp_column = warp % kWarpsN * kColumns;
#endif
  auto* const shared = reinterpret_cast<float*>(SHARED_MEMORY);
  constexpr bool kAsync = kStages != 0;
  const unsigned row_a = kAsync ? TileA::copy_row(thread) : TileA::first_row(thread);
  const unsigned row_b = kAsync ? TileB::copy_row(thread) : TileB::first_row(thread);
  const unsigned word_a = kAsync ? TileA::copy_word(thread) : TileA::first_word(thread);
  const unsigned word_b = kAsync ? TileB::copy_word(thread) : TileB::first_word(thread);
  Place place = {shared + TileA::place(row_a, word_a),
                 shared + TileA::kWords + TileB::place(row_b, word_b),
                 shared + TileA::fragment(0, warp_row),
                 shared + TileA::kWords + TileB::fragment(0, warp_column),
                 {}};
#ifdef GEMM_SCALES
  const unsigned line = thread % kSlice;  // of a fragment
  place.scales = {p.scales_a + (block_row + warp_row * kSlice + line) * Scales::kBytes,
                  p.scales_b + (block_column + warp_column * kSlice + line) * Scales::kBytes,
                  p.m * Scales::kBytes, p.n * Scales::kBytes};
#endif
  // From row to row of A and B in memory, and from tile to tile of k.
  const unsigned row_words_a = gemm_lda(arguments, kContiguousA ? p.k : p.m) / 2;
  const unsigned row_words_b = gemm_ldb(arguments, kContiguousB ? p.k : p.n) / 2;
  const unsigned tile_words_a = kContiguousA ? kBlockK / 2 : kBlockK * row_words_a;
  const unsigned tile_words_b = kContiguousB ? kBlockK / 2 : kBlockK * row_words_b;
  const float* a =
      p.a + row_a * row_words_a + word_a + (kContiguousA ? block_row * row_words_a : block_row / 2);
  const float* b =
      p.b + row_b * row_words_b + word_b + (kContiguousB ? block_column * row_words_b : block_column / 2);

  unrolled<kRows>([&](auto i) {
    unrolled<kColumns>(
        [&](auto j) { wmma::fill_fragment(FragmentC<decltype(i)::value, decltype(j)::value>{}, Sum{}); });
  });
  const Source source = {a, b, row_words_a, row_words_b, tile_words_a, tile_words_b};
  unsigned warps;  // of each core
  if constexpr (kAsync) {
    warps = WARPS_OF_CORE;
    multiply_tiles_async(p, place, source, warps);
  } else if constexpr (kBuffers == 1) {
    warps = WARPS_OF_CORE;
    multiply_tiles_in_one_buffer(p, place, source, warps);
  } else {
    TileA::Moved moved_a;
    TileB::Moved moved_b;
    const float* const first_a = a;
    if (kContiguousA) a += gemm_column_of_a(arguments, 0) / 2;
    TileA::load(moved_a, a, row_words_a);
    TileB::load(moved_b, b, row_words_b);
    TileA::store(moved_a, place.a);
    TileB::store(moved_b, place.b);
    warps = WARPS_OF_CORE;
    GEMM_BARRIER(0, warps);
    load_fragments<0>(Slice::at<0>(place, 0));

    unsigned buffer = 0;  // of the tile that is multiplied, in words
    for (unsigned k = kBlockK; k < p.k; k += kBlockK) {
      a = next_tile_of_a(a, first_a, tile_words_a, k);
      b += tile_words_b;
      TileA::load(moved_a, a, row_words_a);
      TileB::load(moved_b, b, row_words_b);
      unrolled<kSlices - 1>([&](auto slice) {
        constexpr unsigned now = decltype(slice)::value;
        multiply<now % 2, now + 1, true>(place, buffer);
      });
      buffer = kBufferWords - buffer;
      TileA::store(moved_a, place.a + buffer);
      TileB::store(moved_b, place.b + buffer);
      GEMM_BARRIER(0, warps);
      place.scales.advance();
      multiply<(kSlices - 1) % 2, 0, true>(place, buffer);
    }
    unrolled<kSlices - 1>([&](auto slice) {
      constexpr unsigned now = decltype(slice)::value;
      multiply<now % 2, now + 1, true>(place, buffer);
    });
    multiply<(kSlices - 1) % 2, 0, false>(place, buffer);
  }

  GEMM_BARRIER(0, warps);  // all fragments are loaded: shared memory is free for C
  const unsigned column = block_column + warp_column * kSlice;
  Result* const c = p.c + (block_row + warp_row * kSlice) * gemm_ldc(arguments, p.n) + column;
  auto* const strip = reinterpret_cast<float*>(SHARED_MEMORY) + warp * Strip::kWords;
  unrolled<kRows>([&](auto i) {
    constexpr unsigned row = decltype(i)::value;
    Strip::store<row>(strip);
    simt_fence();
    Result* const to = c + row * kSlice * gemm_ldc(arguments, p.n);
#ifdef GEMM_EPILOGUE
    Strip::finish(strip, Epilogue(arguments), to, gemm_ldc(arguments, p.n), column, thread % kLanes);
#else
    Strip::move(strip, reinterpret_cast<float*>(to), gemm_ldc(arguments, p.n) * sizeof(Sum) / 4,
                thread % kLanes);
#endif
  });
  GEMM_BARRIER(0, warps);  // before the next block comes to shared memory
}

#ifdef GEMM_WORK_GROUPS

}  // namespace

#ifdef GEMM_BATCHED
BUILT_FOR("gemm.batched", 1);
#define GEMM_MATRIX(name) (arguments->name + at.z * arguments->stride_##name)
#else
#define GEMM_MATRIX(name) arguments->name
#endif

/// The tile of C with the index of the work group, of a batch of the product with its z.
extern "C" void gemm(const GemmArguments* arguments) {
  const spica::Index3 at = spica::block_index();
  const Product product = {arguments->m,
                           arguments->n,
                           arguments->k,
                           ARGUMENT_POINTER(float, GEMM_MATRIX(a)),
                           ARGUMENT_POINTER(float, GEMM_MATRIX(b)),
                           ARGUMENT_POINTER(Result, GEMM_MATRIX(c)),
#ifdef GEMM_SCALES
                           ARGUMENT_POINTER(uint8_t, arguments->scales_a),
                           ARGUMENT_POINTER(uint8_t, arguments->scales_b)
#endif
  };
  block(product, spica::group_thread(), at.y * kBlockM, at.x * kBlockN);
}
SPICA_KERNEL(gemm, kThreads, kBuffers* kBufferWords * sizeof(float));
SPICA_KERNEL_NEEDS(gemm, GEMM_REGISTERS, 1);
#else

void task(unsigned thread, void* argument) {
  const Product& p = *static_cast<const Product*>(argument);
  for (unsigned row = 0; row < p.m; row += kBlockM)
    for (unsigned column = 0; column < p.n; column += kBlockN) block(p, thread, row, column);
}

}  // namespace

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, kBlockM, kBlockN, kBlockK)) return 1;
  Product product = {arguments.m,
                     arguments.n,
                     arguments.k,
                     ARGUMENT_POINTER(float, arguments.a),
                     ARGUMENT_POINTER(float, arguments.b),
                     ARGUMENT_POINTER(Result, arguments.c),
#ifdef GEMM_SCALES
                     ARGUMENT_POINTER(uint8_t, arguments.scales_a),
                     ARGUMENT_POINTER(uint8_t, arguments.scales_b)
#endif
  };
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(kThreads, task, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  GEMM_PRINT_CYCLES(simt_cycle() - begin);
  return 0;
}
#endif
