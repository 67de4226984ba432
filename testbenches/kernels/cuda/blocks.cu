// SPDX-License-Identifier: Apache-2.0
// What does not depend on the lanes of a warp: indices, arguments of all kinds, shared memory, atomic operations, numbers.
#include <cuda_fp16.h>
#include <math_constants.h>

__device__ int place[2 * 3 * 2][24];
__device__ double given[16];
__device__ unsigned counters[8];
__device__ unsigned long long total;
__device__ int numbers[32];
__device__ float floats[16];
static __device__ int hidden = 3;
__constant__ float table[4];
__device__ int sizes[3];
__device__ int reached[96];

// Of this file only, and without a call.
static __global__ void where() {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  place[block][thread] = thread * 10 + block + (gridDim.z == 2 && blockDim.z == 2 ? 1000 : 0);
}

struct Pair {
  int a;
  short b;
};
struct Box {
  float low[3];
  float2 high;
  char tag;
};
enum Colour { kRed = 3, kBlue = 5 };

__global__ void take(char c, bool flag, short s, long long wide, float2 two, double real, Pair pair, Box box,
                     float3 three, half h, Colour colour, const float* pointer) {
  if (threadIdx.x != 0) return;
  given[0] = c;
  given[1] = flag;
  given[2] = s;
  given[3] = static_cast<double>(wide);
  given[4] = two.x + 10 * two.y;
  given[5] = real;
  given[6] = pair.a + 100 * pair.b;
  given[7] = box.high.y + 100 * box.low[2];
  given[8] = box.tag;
  given[9] = three.z;
  given[10] = __half2float(h);
  given[11] = colour;
  given[12] = static_cast<double>(reinterpret_cast<size_t>(pointer));
}

namespace shapes {
template <typename T, unsigned n>
__global__ void sum(const T* from, T* to) {
  __shared__ T tile[n];
  extern __shared__ char open[];
  T* const more = reinterpret_cast<T*>(open);
  tile[threadIdx.x] = from[threadIdx.x];
  more[threadIdx.x] = from[threadIdx.x] * 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    T all = 0;
    for (unsigned i = 0; i < n; ++i) all += tile[i] + more[n - 1 - i];
    *to = all;
  }
}
template __global__ void sum<float, 32>(const float*, float*);
template __global__ void sum<int, 64>(const int*, int*);
}  // namespace shapes

// A variable that has no value before the loop, which ends between two barriers.
__global__ void rounds(int count) {
  __shared__ int now[96], next[96];
  const int i = threadIdx.x;
  now[i] = i * i % 17;
  __syncthreads();
  bool is_inside;
  for (int round = 0; round < count; ++round) {
    is_inside = false;
    if (i > round && i < 95 - round) {
      is_inside = true;
      next[i] = min(now[i - 1], now[i + 1]) + round;
    }
    __syncthreads();
    if (round == count - 1) break;
    if (is_inside) now[i] = next[i];
    __syncthreads();
  }
  if (is_inside) reached[i] = next[i];
}

__global__ void count(unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counters[0], 2u);
  atomicInc(&counters[1], 9);
  atomicDec(&counters[2], 9);
  atomicMax(&counters[3], i);
  unsigned old = atomicAdd(&counters[4], 0), assumed;
  do {
    assumed = old;
    old = atomicCAS(&counters[4], assumed, assumed + 3);
  } while (old != assumed);
  atomicAdd(&total, static_cast<unsigned long long>(i) << 28);
  if (i == n) hidden = 4;
  if (i == n) counters[5] = hidden;
}

__global__ void compute(float x, int k, unsigned u) {
  if (threadIdx.x != 0) return;
  numbers[0] = __popc(u);
  numbers[1] = __clz(k);
  numbers[2] = __ffs(k);
  numbers[3] = static_cast<int>(__brev(u));
  numbers[4] = __mulhi(k, 1 << 30);
  numbers[5] = __float2int_rn(x);
  numbers[6] = __float2int_rz(-x);
  numbers[7] = static_cast<int>(__byte_perm(u, 0x04050607, 0x5140));
  numbers[8] = min(k, 7) + max(k, 3u);
  numbers[9] = __clz(k - k) * 100 + __ffs(k - k);
  numbers[10] = __float_as_int(x);
  numbers[11] = static_cast<int>(__funnelshift_l(u, 1u, 8));
  numbers[12] = __popcll(0x100000001ull * u);
  floats[0] = rsqrtf(x);
  floats[1] = __expf(x) + pow(x, 2.0f);
  floats[2] = __saturatef(x);
  floats[3] = table[1] * fmaf(x, 2, 1);
  floats[4] = __half2float(__hfma(__float2half(x), __float2half(3), __float2half(1)));
  const half2 h = __hmul2(__floats2half2_rn(x, 2 * x), __float2half2_rn(0.5f));
  floats[5] = __low2float(h) + __high2float(h);
  floats[6] = fminf(CUDART_INF_F, x);
  sizes[0] = sizeof(float3) * 100 + sizeof(float4) + alignof(float2);
  sizes[1] = static_cast<char>(200 + k - k);
}
