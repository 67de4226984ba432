// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp tell each other: a result for each function and thread.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <device_launch_parameters.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 96;
__device__ int out[32][kThreads];
__device__ double wide[kThreads];
__device__ uint4 four[kThreads];
__device__ float sums[4];

__global__ void warps(int seed) {
  const int i = threadIdx.x, x = i * seed % 97;
  const unsigned all = 0xffffffff;
  out[0][i] = __shfl_sync(all, x, 5);
  out[1][i] = __shfl_sync(all, x, i * 7, 8);
  out[2][i] = __shfl_up_sync(all, x, 3);
  out[3][i] = __shfl_up_sync(all, x, 3, 16);
  out[4][i] = __shfl_down_sync(all, x, 3);
  out[5][i] = __shfl_down_sync(all, x, 3, 4);
  out[6][i] = __shfl_xor_sync(all, x, 9);
  out[7][i] = __shfl_xor_sync(all, x, 9, 8);
  out[8][i] = static_cast<int>(__ballot_sync(all, x % 3 == 0));
  out[9][i] = __any_sync(all, x == 40);
  out[10][i] = __all_sync(all, x != 40);
  out[11][i] = static_cast<int>(__match_any_sync(all, x % 4));
  out[12][i] = __reduce_add_sync(all, x);
  out[13][i] = __reduce_max_sync(all, x);
  out[14][i] = __syncthreads_count(x % 2);
  out[15][i] = __syncthreads_or(x == 96) * 2 + __syncthreads_and(x < 96);
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  out[16][i] = warp.meta_group_rank() * 1000 + warp.thread_rank();
  out[17][i] = tile.meta_group_rank() * 1000 + tile.thread_rank();
  out[18][i] = cg::reduce(tile, x, cg::plus<int>());
  out[19][i] = cg::reduce(warp, x, cg::greater<int>());
  out[20][i] = static_cast<int>(tile.ballot(x % 2));
  out[21][i] = warp.shfl(x, 31);
  if (x % 2 == 0) {
    const auto some = cg::coalesced_threads();
    out[22][i] = some.size() * 100 + some.thread_rank();
    out[23][i] = some.shfl(x, 1);
    out[24][i] = static_cast<int>(__activemask());
  }
  wide[i] = __shfl_down_sync(all, x * 0.25, 1);
  four[i] = warp.shfl_xor(make_uint4(x, x + 1, x + 2, x + 3), 1);
  out[25][i] = warpSize;
}

// Lanes that rely on each other without a word.
__device__ void last_warp(volatile float* part, int i) {
  part[i] += part[i + 32];
  part[i] += part[i + 16];
  part[i] += part[i + 8];
  part[i] += part[i + 4];
  part[i] += part[i + 2];
  part[i] += part[i + 1];
}
__global__ void synchronous(int n) {
  __shared__ float part[128];
  const int i = threadIdx.x;
  part[i] = n + i;
  if (i < 64) part[i + 64] = 0;
  __syncthreads();
  if (i < 32) last_warp(part, i);
  if (i == 0) sums[blockIdx.x] = part[0];
}
