// SPDX-License-Identifier: Apache-2.0
// Kernels in the style of CUDA: what the text of a .cu file relies on. `spica cc kernels.cu` includes it by itself:
//
//   __global__ void scale(float* x, float factor, int n) {
//     const int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) x[i] *= factor;
//   }
//
//   spica cc scale.cu -o scale.elf
//   spica run --set dispatcher.present=true virgo scale.elf --kernel scale --grid 16 --block 64 \
//     --args x=0xA0000000,factor=2,n=1000
//
// There is no host program: launches and calls of the CUDA runtime are refused. Functions that need the lanes of a warp
// make the program one for warps of 32 lanes, which is refused on other machines; SPICA_WARP_SIZE builds it for another
// number.
#pragma once

#ifndef __clang__
#error "spica/cuda.h needs `spica cc` with clang"
#endif

#include <assert.h>
#include <built_for.h>
#include <math.h>
#include <spica/group.h>
#include <spica/simt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SPICA_WARP_SIZE
#define SPICA_WARP_SIZE 32
#endif

// ---- functions and variables ----------------------------------------------------------------------
// The plugin of `spica cc` knows the marks: platform/workloads/compiler/plugin/grid_kernels.h and group_shared.h.
#define __global__ __attribute__((annotate("spica.kernel"), used))
#define __device__ __attribute__((annotate("spica.device")))
#define __constant__ __attribute__((annotate("spica.device")))
#define __managed__ __attribute__((annotate("spica.device")))
#define __shared__ __attribute__((section(".spica.shared"))) thread_local
#define __host__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((annotate("spica.threads", __VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define __CUDACC__ 1
#define __CUDA_ARCH__ 700

#include <spica/cuda/vectors.h>

// ---- where a thread is ----------------------------------------------------------------------------
#define SPICA_CUDA_INDEX(type, x_of, y_of, z_of)                              \
  __declspec(property(get = get_x)) unsigned x;                               \
  __declspec(property(get = get_y)) unsigned y;                               \
  __declspec(property(get = get_z)) unsigned z;                               \
  SIMT_INLINE_MEMBER unsigned get_x() const { return spica::detail::x_of(); } \
  SIMT_INLINE_MEMBER unsigned get_y() const { return spica::detail::y_of(); } \
  SIMT_INLINE_MEMBER unsigned get_z() const { return spica::detail::z_of(); } \
  SIMT_INLINE_MEMBER operator type() const { return type{get_x(), get_y(), get_z()}; }
#define SIMT_INLINE_MEMBER inline __attribute__((always_inline))

namespace spica::cuda {
struct ThreadIndex {
  SPICA_CUDA_INDEX(uint3, thread_x, thread_y, thread_z)
};
struct BlockIndex {
  SPICA_CUDA_INDEX(uint3, block_x, block_y, block_z)
};
struct BlockExtent {
  SPICA_CUDA_INDEX(dim3, block_extent_x, block_extent_y, block_extent_z)
};
struct GridExtent {
  SPICA_CUDA_INDEX(dim3, grid_extent_x, grid_extent_y, grid_extent_z)
};
/// Lanes of a warp that the program is built for; it is refused on machines with others.
SIMT_INLINE int warp_size() {
  BUILT_FOR_HERE("lanes", SPICA_WARP_SIZE);
  return SPICA_WARP_SIZE;
}
}  // namespace spica::cuda
#undef SPICA_CUDA_INDEX

static constexpr spica::cuda::ThreadIndex threadIdx{};
static constexpr spica::cuda::BlockIndex blockIdx{};
static constexpr spica::cuda::BlockExtent blockDim{};
static constexpr spica::cuda::GridExtent gridDim{};
#define warpSize (spica::cuda::warp_size())

#include <spica/cuda/atomics.h>
#include <spica/cuda/host.h>
#include <spica/cuda/math.h>
#include <spica/cuda/warp.h>
