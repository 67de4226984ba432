// SPDX-License-Identifier: Apache-2.0
// Atomic operations, barriers of a work group and fences by their names in CUDA.
#pragma once

#define SPICA_CUDA_ATOMIC(name, operation)              \
  template <class T, class V>                           \
  SIMT_INLINE T name(T* at, V value) {                  \
    return spica::operation(at, static_cast<T>(value)); \
  }                                                     \
  template <class T, class V>                           \
  SIMT_INLINE T name##_block(T* at, V value) {          \
    return name(at, value);                             \
  }                                                     \
  template <class T, class V>                           \
  SIMT_INLINE T name##_system(T* at, V value) {         \
    return name(at, value);                             \
  }
SPICA_CUDA_ATOMIC(atomicAdd, atomic_add)
SPICA_CUDA_ATOMIC(atomicExch, atomic_exchange)
SPICA_CUDA_ATOMIC(atomicMin, atomic_min)
SPICA_CUDA_ATOMIC(atomicMax, atomic_max)
SPICA_CUDA_ATOMIC(atomicAnd, atomic_and)
SPICA_CUDA_ATOMIC(atomicOr, atomic_or)
SPICA_CUDA_ATOMIC(atomicXor, atomic_xor)
#undef SPICA_CUDA_ATOMIC

template <class T, class V>
SIMT_INLINE T atomicSub(T* at, V value) {
  return spica::atomic_add(at, static_cast<T>(-static_cast<T>(value)));
}
template <class T, class E, class V>
SIMT_INLINE T atomicCAS(T* at, E expected, V value) {
  return spica::atomic_compare_exchange(at, static_cast<T>(expected), static_cast<T>(value));
}
namespace spica::cuda {
struct Next {
  unsigned operator()(unsigned old, unsigned limit) const { return old >= limit ? 0 : old + 1; }
};
struct Previous {
  unsigned operator()(unsigned old, unsigned limit) const {
    return old == 0 || old > limit ? limit : old - 1;
  }
};
}  // namespace spica::cuda
/// The next number; 0 from `limit` on.
SIMT_INLINE unsigned atomicInc(unsigned* at, unsigned limit) {
  return spica::detail::atomic_change<spica::cuda::Next>(at, limit);
}
/// The number before; `limit` behind 0 and for what is above it.
SIMT_INLINE unsigned atomicDec(unsigned* at, unsigned limit) {
  return spica::detail::atomic_change<spica::cuda::Previous>(at, limit);
}

SIMT_INLINE void __threadfence() { simt_fence(); }
SIMT_INLINE void __threadfence_block() { simt_fence(); }
SIMT_INLINE void __threadfence_system() { simt_fence(); }

SIMT_INLINE void __syncthreads() { spica::group_barrier(); }

namespace spica::cuda {
/// Sum of a number of each thread of the work group.
inline int sum_of_group(int value) {
  __shared__ int sum;
  group_barrier();
  if (group_thread() == 0) sum = 0;
  group_barrier();
  if (value != 0) (void)spica::atomic_add(&sum, value);
  group_barrier();
  return simt_uniform(sum);
}
}  // namespace spica::cuda

SIMT_INLINE int __syncthreads_count(int condition) { return spica::cuda::sum_of_group(condition != 0); }
SIMT_INLINE int __syncthreads_or(int condition) { return __syncthreads_count(condition) != 0; }
SIMT_INLINE int __syncthreads_and(int condition) { return __syncthreads_count(condition == 0) == 0; }
