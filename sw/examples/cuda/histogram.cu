// SPDX-License-Identifier: Apache-2.0
// How often each byte occurs: each block counts in shared memory, whose size the launch says, and adds its counts at the end.
__device__ unsigned char text[1 << 16];
__device__ unsigned counts[256];

__global__ void histogram(const unsigned char* bytes, unsigned n, unsigned* bins, unsigned bin_count) {
  extern __shared__ unsigned mine[];
  for (unsigned i = threadIdx.x; i < bin_count; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[bytes[i] % bin_count], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bin_count; i += blockDim.x)
    if (mine[i] != 0) atomicAdd(&bins[i], mine[i]);
}
