// SPDX-License-Identifier: Apache-2.0
// Atomic operations on words of memory, and on numbers of 64 bits, of any lanes of any warps and cores, in global and
// in shared memory. Each returns the previous value. They order nothing else: what a thread stored before is visible to
// others behind a fence.
//
// One instruction each, but for floats, 64 bits and compare_exchange(), for which the machine has none: lanes take
// turns.
#pragma once

#include <simt.h>
#include <stdint.h>

namespace spica {

namespace detail {
template <class T>
constexpr void check_word() {
  static_assert((sizeof(T) == 4 || sizeof(T) == 8) && __is_trivially_copyable(T),
                "atomic operations take numbers of 32 and 64 bits: int, unsigned, float, long long, double");
}
template <unsigned bytes>
struct word {
  using type = uint32_t;
};
template <>
struct word<8> {
  using type = uint64_t;
};
template <class T>
using word_for = typename word<sizeof(T)>::type;

template <class To, class From>
SIMT_INLINE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace detail

/// Reads a word that others write; once, whatever the compiler thinks of it.
template <class T>
SIMT_INLINE T atomic_load(const T* at) {
  detail::check_word<T>();
  if constexpr (sizeof(T) == 8)
    return detail::bits_as<T>(__atomic_load_n(reinterpret_cast<const uint64_t*>(at), __ATOMIC_RELAXED));
  else return detail::bits_as<T>(simt_atomic_load(reinterpret_cast<const volatile unsigned*>(at)));
}
namespace detail {

template <class T, class Change>
struct AtomicTurn {
  T* at;
  T value, old;
};
/// For one lane.
template <class T, class Change>
inline void change_in_turn(void* argument) {
  auto& turn = *static_cast<AtomicTurn<T, Change>*>(argument);
  turn.old = atomic_load(turn.at);
  T next;
  do next = Change()(turn.old, turn.value);
  while (!__atomic_compare_exchange(turn.at, &turn.old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
/// Stores Change()(number, value).
template <class Change, class T>
SIMT_INLINE T atomic_change(T* at, T value) {
  AtomicTurn<T, Change> turn{at, value, T()};
  simt_each_lane(change_in_turn<T, Change>, &turn);
  return turn.old;
}
struct Sum {
  template <class T>
  T operator()(T old, T more) const {
    return old + more;
  }
};
struct Least {
  template <class T>
  T operator()(T old, T other) const {
    return other < old ? other : old;
  }
};
struct Greatest {
  template <class T>
  T operator()(T old, T other) const {
    return other > old ? other : old;
  }
};
template <class Word>
struct ExchangeTurn {
  Word* at;
  Word expected, value;
};
template <class Word>
inline void exchange_in_turn(void* argument) {
  auto& turn = *static_cast<ExchangeTurn<Word>*>(argument);
  __atomic_compare_exchange_n(turn.at, &turn.expected, turn.value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

template <class T>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;
template <>
inline constexpr bool is_float<double> = true;
template <class T>
inline constexpr bool is_signed_word = T(-1) < T(0);

}  // namespace detail

template <class T>
SIMT_INLINE T atomic_add(T* at, T value) {
  detail::check_word<T>();
  if constexpr (detail::is_float<T>) {
    return detail::atomic_change<detail::Sum>(at, value);
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
  if constexpr (sizeof(T) == 8)
    return detail::bits_as<T>(__atomic_exchange_n(reinterpret_cast<uint64_t*>(at),
                                                  detail::bits_as<uint64_t>(value), __ATOMIC_RELAXED));
  else __asm__ volatile("amoswap.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  return old;
}
/// Of integers, with or without a sign, and of floats.
template <class T>
SIMT_INLINE T atomic_min(T* at, T value) {
  detail::check_word<T>();
  T old;
  if constexpr (detail::is_float<T> || sizeof(T) == 8) return detail::atomic_change<detail::Least>(at, value);
  else if constexpr (detail::is_signed_word<T>)
    __asm__ volatile("amomin.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  else __asm__ volatile("amominu.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  return old;
}
template <class T>
SIMT_INLINE T atomic_max(T* at, T value) {
  detail::check_word<T>();
  T old;
  if constexpr (detail::is_float<T> || sizeof(T) == 8)
    return detail::atomic_change<detail::Greatest>(at, value);
  else if constexpr (detail::is_signed_word<T>)
    __asm__ volatile("amomax.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  else __asm__ volatile("amomaxu.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(value) : "memory");
  return old;
}
/// Stores `value` where `expected` is. Returns the previous value: `expected` when it was stored.
template <class T>
SIMT_INLINE T atomic_compare_exchange(T* at, T expected, T value) {
  detail::check_word<T>();
  using Word = detail::word_for<T>;
  detail::ExchangeTurn<Word> turn{reinterpret_cast<Word*>(at), detail::bits_as<Word>(expected),
                                  detail::bits_as<Word>(value)};
  simt_each_lane(detail::exchange_in_turn<Word>, &turn);
  return detail::bits_as<T>(turn.expected);
}
/// Writes a word that others read.
template <class T>
SIMT_INLINE void atomic_store(T* at, T value) {
  detail::check_word<T>();
  __atomic_store(at, &value, __ATOMIC_RELAXED);
}

}  // namespace spica
