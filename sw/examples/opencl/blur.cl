// SPDX-License-Identifier: Apache-2.0
// A step of a filter over a line of numbers. Each work group keeps its part, and a neighbour on each side, in local memory.

float weighted(float left, float middle, float right) { return 0.25f * left + 0.5f * middle + 0.25f * right; }

__kernel void blur(__global const float* now, __global float* next, uint n, __local float* part) {
  const uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  part[l + 1] = i < n ? now[i] : 0.0f;
  if (l == 0) part[0] = i > 0 ? now[i - 1] : 0.0f;
  if (l == size - 1) part[size + 1] = i + 1 < n ? now[i + 1] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) next[i] = weighted(part[l], part[l + 1], part[l + 2]);
}

__kernel void report(__global const float* line, uint n) {
  const uint i = get_global_id(0);
  if (i < n && line[i] > 0.0f) printf("%u: %.4f\n", i, line[i]);
}
