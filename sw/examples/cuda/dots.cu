// SPDX-License-Identifier: Apache-2.0
// Scalar products of the rows of a matrix with a vector, a row for each warp of 32 lanes.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ float rows[64 * 256];
__device__ float vector[256];
__device__ float results[64];

template <typename T>
__device__ T sum_of(const cg::thread_block_tile<32>& warp, T value) {
  for (int step = warp.size() / 2; step > 0; step /= 2) value += warp.shfl_down(value, step);
  return value;
}

__global__ void __launch_bounds__(128) dots(const float4* matrix, const float4* x, float* y, int columns) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  float sum = 0;
  for (int i = warp.thread_rank(); i < columns / 4; i += warp.size()) {
    const float4 a = matrix[row * (columns / 4) + i], b = x[i];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  sum = sum_of(warp, sum);
  if (warp.thread_rank() == 0) y[row] = sum;
}
