// SPDX-License-Identifier: Apache-2.0
// Kernels of different kinds, as programs have them. opencl_test.py has what they compute.

__kernel void vadd(__global const float* a, __global const float* b, __global float* c, const uint n) {
  const size_t i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

#define TILE 8
__kernel void transpose(__global const int* in, __global int* out, int width, int height) {
  __local int tile[TILE][TILE + 1];
  int x = get_global_id(0), y = get_global_id(1);
  const int lx = get_local_id(0), ly = get_local_id(1);
  if (x < width && y < height) tile[ly][lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + lx;
  y = get_group_id(0) * TILE + ly;
  if (x < height && y < width) out[y * height + x] = tile[lx][ly];
}

// The sum of each work group: a local argument, and barriers in a loop that the compiler cannot see through.
__kernel void reduce(__global const int* in, __global int* out, uint n, __local int* scratch) {
  const uint l = get_local_id(0);
  int sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  scratch[l] = sum;
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) scratch[l] += scratch[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = scratch[0];
}

// Static local memory, and a local argument behind it.
__kernel void two_arrays(__local int* behind, __global int* out) {
  __local int first[32];
  const int l = get_local_id(0), n = get_local_size(0);
  first[l] = 10 * l;
  behind[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = first[n - 1 - l] + behind[(l + 1) % n];
}

__kernel void histogram(__global const uchar* data, __global int* bins, uint n) {
  __local int own[16];
  const uint l = get_local_id(0);
  if (l < 16) own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[data[i] & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) atomic_add(&bins[l], own[l]);
}

__kernel void wide_atomics(__global long* signed_ones, __global ulong* others, __global long* tickets) {
  const int i = get_global_id(0);
  atom_add(&signed_ones[0], i * 10000000000L);
  atom_max(&signed_ones[1], 3L * i);
  tickets[i] = atom_inc(&signed_ones[2]);
  atom_cmpxchg(&others[0], 0UL, 77UL);
  atom_or(&others[1], 1UL << (2 * i));
}

void add_float(volatile __global float* at, float value) {
  union {
    uint word;
    float number;
  } before, after;
  do {
    before.number = *at;
    after.number = before.number + value;
  } while (atomic_cmpxchg((volatile __global uint*)at, before.word, after.word) != before.word);
}
__kernel void float_sum(__global const float* in, __global float* sum) { add_float(sum, in[get_global_id(0)]); }

__kernel void vectors(__global const float4* a, __global float4* out, float4 factor, uchar3 bytes) {
  const int i = get_global_id(0);
  const float4 v = a[i] * factor;
  out[2 * i] = v.wzyx + (float4)(bytes.x, bytes.y, bytes.z, dot(v, v));
  vstore4(fmax(v, (float4)(1.0f)), 2 * i + 1, (__global float*)out);
}

__kernel void wide(__global const long* a, __global const ulong* b, __global long* out, long c) {
  const int i = get_global_id(0);
  out[3 * i] = a[i] * c + (long)(b[i] >> 7);
  out[3 * i + 1] = a[i] / 7 - a[i] % 5;
  out[3 * i + 2] = mul_hi(a[i], c) + (long)popcount(b[i]);
}

typedef struct {
  int count;
  float scale;
  short low[3];
  char4 bytes;
} Setup;
__kernel void by_value(Setup setup, __global float* out) {
  const int i = get_global_id(0);
  setup.count += i;
  out[i] = setup.count * setup.scale + setup.low[i % 3] + setup.bytes.z;
}

// Some work items leave before the others are done; no barrier follows.
__kernel void early(__global const int* in, __global int* out) {
  const int i = get_global_id(0);
  if (in[i] < 0) return;
  int n = in[i], steps = 0;
  while (n > 1) {
    n = n % 2 != 0 ? 3 * n + 1 : n / 2;
    if (++steps > 50) return;
  }
  out[i] = steps;
}

__kernel void say(__constant int* numbers) {
  const int i = get_global_id(0);
  if (i % 2 == 0)
    printf("item %d of %d: %d %.2f %s %v4d|%v2hlf 100%% %ld\n", i, (int)get_global_size(0), numbers[i], 0.5 * i, "text",
           (int4)(i, 2, 3, -4), (float2)(0.5f, i), -10000000000L);
}

__kernel void doubles(__global const double* a, __global double* out) {
  const int i = get_global_id(0);
  out[i] = (a[i] * 3.0 - 1.0 / (a[i] + 1.0)) + (double)i;
}

__kernel void double_functions(__global const double* a, __global double* out) {
  const int i = get_global_id(0);
  const double x = a[i];
  out[6 * i] = sqrt(fabs(x));
  out[6 * i + 1] = fma(x, x, -1.0 / 3.0);
  out[6 * i + 2] = floor(x) + 100.0 * ceil(x) + 10000.0 * trunc(x) + 1000000.0 * rint(x);
  out[6 * i + 3] = fmax(x, 0.5) - fmin(x, -0.5);
  out[6 * i + 4] = exp(x);
  out[6 * i + 5] = pow(fabs(x) + 0.5, 2.5);
}

// C99: there is no definition outside.
inline int twice(int x) { return 2 * x; }
__kernel void inlined(__global int* out) {
  const int i = get_global_id(0);
  out[i] = twice(i) + 1;
}

__kernel void maths(__global const float* in, __global float* out) {
  const int i = get_global_id(0);
  const float x = in[i];
  out[8 * i] = sin(x);
  out[8 * i + 1] = exp(x);
  out[8 * i + 2] = pow(fabs(x), 1.7f);
  out[8 * i + 3] = sqrt(fabs(x));
  out[8 * i + 4] = native_log(fabs(x) + 1.0f);
  out[8 * i + 5] = fmod(x, 0.75f) + floor(x) + rint(x);
  out[8 * i + 6] = mix(x, 2.0f, 0.25f) + clamp(x, -1.0f, 1.0f) + atan2(x, 2.0f);
  out[8 * i + 7] = length((float3)(x, 1.0f, 2.0f));
}

__kernel __attribute__((reqd_work_group_size(4, 2, 2))) void where(__global uint* out) {
  const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const uint n = (z * get_global_size(1) + y) * get_global_size(0) + x;
  out[n] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_group_id(0) +
           10000 * get_group_id(1) + 100000 * get_group_id(2) + 1000000 * get_work_dim();
}

__kernel void copies(__global const float* in, __global float* out) {
  __local float part[64];
  const size_t n = get_local_size(0);
  event_t event = async_work_group_copy(part, in + get_group_id(0) * n, n, 0);
  wait_group_events(1, &event);
  event = async_work_group_copy(out + (get_num_groups(0) - 1 - get_group_id(0)) * n, part, n, 0);
  wait_group_events(1, &event);
}

// A barrier that all reach, behind a branch of which the compiler does not know that they agree.
__kernel void agree(__global const int* rounds, __global int* out) {
  __local int last;
  const int l = get_local_id(0), n = get_local_size(0);
  int at = 0;
  for (int i = 0; i < rounds[l]; ++i) {
    if (l == i % n) last = l + at;
    barrier(CLK_LOCAL_MEM_FENCE);
    at = last;
    if (at > 1000) break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = at;
}

__kernel void halves(__global const half* in, __global half* out) {
  const int i = get_global_id(0);
  vstore_half(vload_half(i, in) * 1.5f, i, out);
}

// A kernel that another one calls.
__kernel void increment(__global int* data) { data[get_global_id(0)] += 1; }
__kernel void increment_twice(__global int* data) {
  increment(data);
  increment(data);
}
