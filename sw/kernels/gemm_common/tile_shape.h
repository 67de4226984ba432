// SPDX-License-Identifier: Apache-2.0
// Element type, tile and machine of the tensor-core kernels, chosen when they are compiled.
//   FP32, the default: a machine of four cores of 8 warps, tiles of 64 x 64 x 64
//   -DGEMM_FP16:       eight cores of 8 warps, tiles of 128 x 64 x 128
//   -DGEMM_SWISH:      four cores, tiles of 64 x 32 x 64, FP32, two groups of 16 warps; B is loaded in tiles of
//                      64 x 64, of which one half is used; with -DGEMM_OVERLAPPED just that half
//   -DMACHINE_CORES, -DMACHINE_WARPS (of a core), -DPLATFORM_SHARED_SIZE: another machine, another tile
// A warp holds a part of 16 x 8 of C in its registers, so an output tile has a part for each warp: eight parts side by
// side, fewer when there are fewer warps, more when the tile would become higher than wide by more than a factor of
// two. Warps of a core beyond a power of two, and of the cluster beyond 128, are not used.
//
// What the kernels move and multiply are 32-bit words: one FP32 element, or two FP16 elements of
// neighbouring k, the even one in the low half. In words of k tiles are 64 deep, or as deep as shared memory allows.
#pragma once

#include <platform.h>
#include <tensor_core.h>

#ifdef GEMM_FP16
constexpr unsigned kWordElements = 2;  // elements of k in a word
#ifndef MACHINE_CORES
#define MACHINE_CORES 8
#endif
#else
constexpr unsigned kWordElements = 1;
#endif
#include "sw/kernels/gemm_common/machine.h"

#ifdef GEMM_SWISH
constexpr unsigned kGroups = 2;
#else
constexpr unsigned kGroups = 1;
#endif
constexpr unsigned kWordBytes = 4;  // also of an element of C, which is FP32

constexpr unsigned kPartRows = 2 * TENSOR_CORE_TILE;  // of a warp: two instructions share B
constexpr unsigned kPartColumns = TENSOR_CORE_TILE;
constexpr unsigned kWarpThreads = 8;
constexpr unsigned kMostWarps = 128;
constexpr unsigned kUsedWarps =  // of a core
    power_of_two_up_to(MACHINE_WARPS * MACHINE_CORES <= kMostWarps ? MACHINE_WARPS
                                                                   : kMostWarps / MACHINE_CORES);
constexpr unsigned kWarps = kUsedWarps * MACHINE_CORES / kGroups;  // of a group
constexpr unsigned kThreads = kWarps * kWarpThreads;

constexpr unsigned columns_of_parts(unsigned warps, unsigned columns) {
  if (columns > warps) return warps;
  return warps / columns > columns ? columns_of_parts(warps, 2 * columns) : columns;
}
constexpr unsigned kPartsAcross = columns_of_parts(kWarps, 8 / kGroups);
constexpr unsigned kTileM = kWarps / kPartsAcross * kPartRows, kTileN = kPartsAcross * kPartColumns;
#if defined(GEMM_SWISH) && !defined(GEMM_OVERLAPPED)
constexpr unsigned kLoadN = 2 * kTileN;  // columns of B in shared memory
#else
constexpr unsigned kLoadN = kTileN;
#endif

// Where shared memory has the tiles, by buffer: A at the start of quarters 0 and 1, B at the end of
// quarters 2 and 3. They lie in different banks.
constexpr unsigned kQuarterBytes = PLATFORM_SHARED_SIZE / 4;
constexpr unsigned words_that_fit(unsigned most) {
  const bool fit = most * kTileM * kWordBytes <= kQuarterBytes && most * kLoadN * kWordBytes <= kQuarterBytes;
  return fit && most <= kThreads ? most : words_that_fit(most / 2);
}
constexpr unsigned kTileWords = words_that_fit(64);  // of k
constexpr unsigned kTileK = kTileWords * kWordElements;
static_assert(kTileWords >= TENSOR_CORE_TILE, "the tiles need a larger cluster.shared_memory.size");

constexpr unsigned kTileBytesA = kTileM * kTileWords * kWordBytes;
constexpr unsigned kTileBytesB = kLoadN * kTileWords * kWordBytes;
static inline unsigned shared_a(unsigned buffer) { return PLATFORM_SHARED_BASE + buffer * kQuarterBytes; }
static inline unsigned shared_b(unsigned buffer) {
  return shared_a(2 + buffer) + (kQuarterBytes - kTileBytesB);
}
