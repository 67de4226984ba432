// SPDX-License-Identifier: Apache-2.0
// A shared array has an element too few.
__device__ int data[256];
__device__ int after[128];

__global__ void shared_overflow() {
  __shared__ int tile[63];
  tile[threadIdx.x] = data[threadIdx.x];  // BUG shared_overflow
  __syncthreads();
  after[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] + 1;
}
