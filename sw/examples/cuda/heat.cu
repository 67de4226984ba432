// SPDX-License-Identifier: Apache-2.0
// A step of heat on a plate: a tile of 16 x 16 points in shared memory, with a border of one point. The rim of the plate stays
// as it is.
constexpr int kTile = 16, kMost = 128;

// For tests by name: --load plate.bin@before, --args now=before.
__device__ float before[kMost * kMost];
__device__ float after[kMost * kMost];
__constant__ float weights[2] = {0.6f, 0.1f};  // of a point, and of each neighbour

// Of the plate, or its rim.
__device__ float point(const float* plate, int n, int row, int column) {
  return plate[min(max(row, 0), n - 1) * n + min(max(column, 0), n - 1)];
}

__global__ void heat(const float* __restrict__ now, float* __restrict__ next, int n) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  tile[y][x] = point(now, n, row, column);
  if (threadIdx.x == 0) tile[y][0] = point(now, n, row, column - 1);
  if (threadIdx.x == kTile - 1) tile[y][kTile + 1] = point(now, n, row, column + 1);
  if (threadIdx.y == 0) tile[0][x] = point(now, n, row - 1, column);
  if (threadIdx.y == kTile - 1) tile[kTile + 1][x] = point(now, n, row + 1, column);
  __syncthreads();
  const bool is_inside = row > 0 && column > 0 && row < n - 1 && column < n - 1;
  const float around = tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
  if (row < n && column < n)
    next[row * n + column] = is_inside ? weights[0] * tile[y][x] + weights[1] * around : tile[y][x];
}
