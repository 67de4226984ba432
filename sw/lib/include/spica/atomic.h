// SPDX-License-Identifier: Apache-2.0
// Atomic operations on words of memory, of any lanes of any warps and cores, in global and in shared memory. Each returns
// what was there before. They order nothing else: what a thread stored before is visible to others behind a fence.
//
// One instruction each, but for floats and compare_exchange(), for which the machine has none: lanes take turns.
#pragma once

#include <simt.h>
#include <stdint.h>

namespace spica {

namespace detail {
template <class T>
constexpr void check_word() {
  static_assert(sizeof(T) == 4, "atomic operations take words: int, unsigned, float");
}
}  // namespace detail

/// Reads a word that others write; once, whatever the compiler thinks of it.
template <class T>
SIMT_INLINE T atomic_load(const T* at) {
  detail::check_word<T>();
  const unsigned word = simt_atomic_load(reinterpret_cast<const volatile unsigned*>(at));
  T value;
  __builtin_memcpy(&value, &word, 4);
  return value;
}
namespace detail {

template <class T>
struct AtomicTurn {
  T *at, value, old;
};
/// For one lane.
template <class T>
inline void add_in_turn(void* argument) {
  auto& turn = *static_cast<AtomicTurn<T>*>(argument);
  T sum;
  turn.old = atomic_load(turn.at);
  do sum = turn.old + turn.value;
  while (!__atomic_compare_exchange(turn.at, &turn.old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
struct ExchangeTurn {
  uint32_t* at;
  uint32_t expected, value;
};
inline void exchange_in_turn(void* argument) {
  auto& turn = *static_cast<ExchangeTurn*>(argument);
  __atomic_compare_exchange_n(turn.at, &turn.expected, turn.value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

template <class T>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;
template <class T>
inline constexpr bool is_signed_word = T(-1) < T(0);

}  // namespace detail

template <class T>
SIMT_INLINE T atomic_add(T* at, T value) {
  detail::check_word<T>();
  if constexpr (detail::is_float<T>) {
    detail::AtomicTurn<T> turn{at, value, T()};
    simt_each_lane(detail::add_in_turn<T>, &turn);
    return turn.old;
  } else {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  }
}
template <class T>
SIMT_INLINE T atomic_and(T* at, T value) {
  detail::check_word<T>();
  return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
template <class T>
SIMT_INLINE T atomic_or(T* at, T value) {
  detail::check_word<T>();
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <class T>
SIMT_INLINE T atomic_xor(T* at, T value) {
  detail::check_word<T>();
  return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
template <class T>
SIMT_INLINE T atomic_exchange(T* at, T value) {
  detail::check_word<T>();
  T old;
  __asm__ volatile("amoswap.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  return old;
}
/// Of integers, with or without a sign.
template <class T>
SIMT_INLINE T atomic_min(T* at, T value) {
  detail::check_word<T>();
  static_assert(!detail::is_float<T>, "the machine has no atomic minimum of floats");
  T old;
  if constexpr (detail::is_signed_word<T>)
    __asm__ volatile("amomin.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  else __asm__ volatile("amominu.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  return old;
}
template <class T>
SIMT_INLINE T atomic_max(T* at, T value) {
  detail::check_word<T>();
  static_assert(!detail::is_float<T>, "the machine has no atomic maximum of floats");
  T old;
  if constexpr (detail::is_signed_word<T>)
    __asm__ volatile("amomax.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  else __asm__ volatile("amomaxu.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  return old;
}
/// Stores `value` where `expected` is. Returns what was there: `expected` when it was stored.
template <class T>
SIMT_INLINE T atomic_compare_exchange(T* at, T expected, T value) {
  detail::check_word<T>();
  detail::ExchangeTurn turn{reinterpret_cast<uint32_t*>(at), 0, 0};
  __builtin_memcpy(&turn.expected, &expected, 4);
  __builtin_memcpy(&turn.value, &value, 4);
  simt_each_lane(detail::exchange_in_turn, &turn);
  __builtin_memcpy(&expected, &turn.expected, 4);
  return expected;
}
/// Writes a word that others read.
template <class T>
SIMT_INLINE void atomic_store(T* at, T value) {
  detail::check_word<T>();
  __atomic_store(at, &value, __ATOMIC_RELAXED);
}

}  // namespace spica
