// SPDX-License-Identifier: Apache-2.0
// Element type, tile and machine of the tensor-core kernels, chosen when they are compiled.
//   FP32, the default: tiles of 64 x 64 x 64, 32 warps (four cores)
//   -DGEMM_FP16:       tiles of 128 x 64 x 128, 64 warps (eight cores)
//   -DGEMM_SWISH:      tiles of 64 x 32 x 64, FP32, two groups of 16 warps (four cores); B is loaded in tiles of
//                      64 x 64, of which one half is used; with -DGEMM_OVERLAPPED just that half
// What the kernels move and multiply are 32-bit words: one FP32 element, or two FP16 elements of
// neighbouring k, the even one in the low half. In words of k both tiles are 64 deep.
#pragma once

#include <platform.h>
#include <tensor_core.h>

#ifdef GEMM_FP16
constexpr unsigned kWordElements = 2;  // elements of k in a word
constexpr unsigned kTileM = 128;
#else
constexpr unsigned kWordElements = 1;
constexpr unsigned kTileM = 64;
#endif
#ifdef GEMM_SWISH
constexpr unsigned kTileN = 32;
constexpr unsigned kGroups = 2;
#else
constexpr unsigned kTileN = 64;
constexpr unsigned kGroups = 1;
#endif
#if defined(GEMM_SWISH) && !defined(GEMM_OVERLAPPED)
constexpr unsigned kLoadN = 64;  // columns of B in shared memory
#else
constexpr unsigned kLoadN = kTileN;
#endif
constexpr unsigned kTileWords = 64;  // of k
constexpr unsigned kTileK = kTileWords * kWordElements;
constexpr unsigned kWordBytes = 4;  // also of an element of C, which is FP32

constexpr unsigned kPartRows = 2 * TENSOR_CORE_TILE;  // of a warp: two instructions share B
constexpr unsigned kPartColumns = TENSOR_CORE_TILE;
constexpr unsigned kWarps = kTileM / kPartRows * (kTileN / kPartColumns);
constexpr unsigned kWarpThreads = 8;
constexpr unsigned kThreads = kWarps * kWarpThreads;  // of a group of warps

// Where shared memory has the tiles, by buffer: A at the start of quarters 0 and 1, B at the end of
// quarters 2 and 3. They lie in different banks.
constexpr unsigned kQuarterBytes = PLATFORM_SHARED_SIZE / 4;
constexpr unsigned kTileBytesA = kTileM * kTileWords * kWordBytes;
constexpr unsigned kTileBytesB = kLoadN * kTileWords * kWordBytes;
static_assert(kTileBytesA <= kQuarterBytes && kTileBytesB <= kQuarterBytes,
              "the tiles need a larger PLATFORM_SHARED_SIZE");
static inline unsigned shared_a(unsigned buffer) { return PLATFORM_SHARED_BASE + buffer * kQuarterBytes; }
static inline unsigned shared_b(unsigned buffer) {
  return shared_a(2 + buffer) + (kQuarterBytes - kTileBytesB);
}
