// SPDX-License-Identifier: Apache-2.0
// Kernels with a mistake each, on the line that says BUG; with RIGHT defined they are right.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int data[256];
__device__ int after[256];
__device__ int sums[8];

#ifdef RIGHT
#define SYNC __syncthreads()
#define ONE 0
#else
#define SYNC
#define ONE 1
#endif

__global__ void missing_sync() {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  SYNC;
  after[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];  // BUG missing_sync
}

__global__ void missing_second_sync() {
  __shared__ int tile[64];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = data[round * 64 + threadIdx.x];  // BUG missing_second_sync
    __syncthreads();
    for (int i = 0; i < 64; ++i) sum += tile[i] * (i + 1);
    SYNC;
  }
  after[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void open_overflow(int n) {
  extern __shared__ int open[];
  for (int i = threadIdx.x; i < n + ONE; i += blockDim.x) open[i] = i;  // BUG open_overflow
  __syncthreads();
  after[blockIdx.x * 64 + threadIdx.x] = open[n - 1 - threadIdx.x];
}

__global__ void unwritten_shared() {
  __shared__ int tile[64];
  if (threadIdx.x >= ONE) tile[threadIdx.x] = 1;
  __syncthreads();
  after[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];  // BUG unwritten_shared
}

__global__ void blocks_race() {
#ifdef RIGHT
  if (threadIdx.x == 0) atomicAdd(&sums[0], 1);
#else
  if (threadIdx.x == 0) sums[0] += 1;  // BUG blocks_race
#endif
}

__global__ void global_overflow() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  after[i + ONE] = 1;  // BUG global_overflow
}

__global__ void warp_sum() {
  const auto warp = cg::tiled_partition<SPICA_WARP_SIZE>(cg::this_thread_block());
  int x = data[threadIdx.x];
#ifdef RIGHT
  for (int step = SPICA_WARP_SIZE / 2; step > 0; step /= 2) x += warp.shfl_down(x, step);
#else
  if (threadIdx.x % SPICA_WARP_SIZE < SPICA_WARP_SIZE / 2)
    for (int step = SPICA_WARP_SIZE / 2; step > 0; step /= 2) x += warp.shfl_down(x, step);  // BUG warp_sum
#endif
  if (warp.thread_rank() == 0) after[threadIdx.x / SPICA_WARP_SIZE] = x;
}

__global__ void warp_tile() {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
#ifdef RIGHT
  __syncwarp();
#endif
  after[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];  // BUG warp_tile, where lanes are independent
}

__global__ void tiles_of_8() {
  extern __shared__ int open[];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  open[threadIdx.x] = data[threadIdx.x];
  tile.sync();
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += open[tile.meta_group_rank() * 8 + i];
  after[blockIdx.x * 64 + threadIdx.x] = sum + tile.shfl_xor(sum, 3) + __ballot_sync(~0u, sum & 1) % 3;
}
