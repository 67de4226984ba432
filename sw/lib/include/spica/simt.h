// SPDX-License-Identifier: Apache-2.0
// What kernels need of a warp, in C++: where a lane is, what the lanes of a warp tell each other, atomic operations.
// For `spica cc` and for gcc with the macros of <simt.h>; no function here makes lanes diverge.
//
// The machine has no instruction that moves data between lanes. ballot() and what is made of it comes from `split`,
// which takes the lanes apart by their conditions; shuffle(), reduce() and scan() go through a word of memory for each
// thread, with a fence, because the lanes of one instruction reach memory at different times. How many instructions
// each takes is in docs/howto/kernel-library.md.
//
// Only active lanes take part: behind an `if` that parts lanes, those of this side. Where a lane that does not take
// part is asked for its value, the result is any value.
#pragma once

#include <platform.h>
#include <simt.h>
#include <stdint.h>

#include <algorithm>

namespace spica {

// ---- where a lane is ------------------------------------------------------------------------------
SIMT_INLINE unsigned lane() { return simt_lane(); }
SIMT_INLINE unsigned lanes() { return simt_lanes(); }  // of a warp
SIMT_INLINE unsigned warp() { return simt_warp(); }
SIMT_INLINE unsigned warps() { return simt_warps(); }  // of a core
SIMT_INLINE unsigned core() { return simt_core(); }
SIMT_INLINE unsigned cores() { return simt_cores(); }  // of the machine
/// Number of this thread in the machine, (core * warps + warp) * lanes + lane, and how many there are.
SIMT_INLINE unsigned thread() { return simt_hart(); }
SIMT_INLINE unsigned threads() { return simt_lanes() * simt_warps() * simt_cores(); }

/// Waits until all warps of all cores of the cluster are here, and what they have stored is visible to each other. For
/// tasks that all threads run: spawn_tasks(spica::threads(), ...).
SIMT_INLINE void barrier(unsigned id = 0) { simt_barrier(id, simt_warps()); }

// ---- what lanes tell each other, by conditions ----------------------------------------------------
/// Bit per active lane: its condition. The same in all active lanes.
SIMT_INLINE unsigned ballot(bool condition) {
  const unsigned value = condition ? 1 : 0;
  unsigned all, side, parted;
  // Behind the split the lanes of one side are active, then those of the other: each reads its own side. Where all
  // agree, the side is all of them.
  __asm__ volatile(
      "csrr %0, 0xCC4\n\t"
      ".insn r CUSTOM_0, 2, 0, %2, %3, x0\n\t"
      "csrr %1, 0xCC4\n\t"
      ".insn r CUSTOM_0, 3, 0, x0, %2, x0"
      : "=&r"(all), "=&r"(side), "=&r"(parted)
      : "r"(value)
      : "memory");
  return simt_uniform_word(side ^ (all & (value - 1)));
}
/// Bit per active lane.
SIMT_INLINE unsigned active() { return simt_mask(); }
SIMT_INLINE bool any(bool condition) { return simt_any(condition ? 1 : 0) != 0; }
SIMT_INLINE bool all(bool condition) { return simt_any(condition ? 0 : 1) == 0; }

SIMT_INLINE unsigned count_bits(unsigned x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0Fu;
  return x * 0x01010101u >> 24;
}
/// In how many active lanes it holds.
SIMT_INLINE unsigned count(bool condition) { return count_bits(ballot(condition)); }
/// In how many active lanes below this one it holds: where this lane's element goes when those with the condition move
/// together.
SIMT_INLINE unsigned rank(bool condition) {
  return count_bits(ballot(condition) & ((1u << simt_lane()) - 1));
}
/// True in one active lane, the lowest.
SIMT_INLINE bool elect() {
  const unsigned mask = simt_mask();
  return (mask & (0u - mask)) == 1u << simt_lane();
}

// ---- what lanes tell each other, by memory --------------------------------------------------------
namespace detail {

/// A word for each thread of any machine, of at most 32 warps of 32 lanes in a core; those of a warp lie side by side,
/// so that they move in one request.
inline volatile uint32_t exchange[PLATFORM_MAX_CORES * 32 * 32] __attribute__((aligned(64)));

/// The words of this warp.
SIMT_INLINE volatile uint32_t* words_of_warp() {
  return exchange + (simt_core() * simt_warps() + simt_warp()) * simt_lanes();
}
/// Shows the lanes' words to each other.
SIMT_INLINE void publish(volatile uint32_t* words, uint32_t word) {
  words[simt_lane()] = word;
  simt_fence();
}
/// Continues when the loads of all lanes on which this word depends are done: the next publish() must not pass them.
SIMT_INLINE uint32_t settled(uint32_t word) {
  __asm__ volatile("mv %0, %0" : "+r"(word)::"memory");
  return word;
}
SIMT_INLINE uint32_t exchanged(uint32_t word, unsigned source) {
  volatile uint32_t* const words = words_of_warp();
  publish(words, word);
  return settled(words[source]);
}

template <class T>
SIMT_INLINE uint32_t word_of(T value) {
  static_assert(sizeof(T) <= 4 && __is_trivially_copyable(T),
                "values of up to 32 bits, such as int and float");
  uint32_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
SIMT_INLINE T value_of(uint32_t word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
template <class T>
SIMT_INLINE T select(bool condition, T a, T b) {
  return value_of<T>(simt_select(condition ? 1 : 0, word_of(a), word_of(b)));
}

}  // namespace detail

/// The value of lane `source`, modulo the lanes of a warp, which are a power of two.
template <class T>
SIMT_INLINE T shuffle(T value, unsigned source) {
  return detail::value_of<T>(detail::exchanged(detail::word_of(value), source & (simt_lanes() - 1)));
}
/// The value of lane (this one ^ mask).
template <class T>
SIMT_INLINE T shuffle_xor(T value, unsigned mask) {
  return shuffle(value, simt_lane() ^ mask);
}
/// The value of the lane `distance` below; where there is none, its own.
template <class T>
SIMT_INLINE T shuffle_up(T value, unsigned distance) {
  const unsigned lane = simt_lane(), step = simt_select(lane >= distance, distance, 0);
  return detail::value_of<T>(detail::exchanged(detail::word_of(value), lane - step));
}
/// The value of the lane `distance` above; where there is none, its own.
template <class T>
SIMT_INLINE T shuffle_down(T value, unsigned distance) {
  const unsigned lane = simt_lane(), step = simt_select(lane + distance < simt_lanes(), distance, 0);
  return detail::value_of<T>(detail::exchanged(detail::word_of(value), lane + step));
}
/// The value of one lane, the same in all.
template <class T>
SIMT_INLINE T broadcast(T value, unsigned source = 0) {
  return detail::value_of<T>(simt_uniform_word(detail::word_of(shuffle(value, source))));
}

namespace detail {

/// first(lane, word) for the lowest active lane, then next(lane, word) for the others, upwards. All conditions are the
/// same in all lanes.
template <class First, class Next>
SIMT_INLINE void each_word(const volatile uint32_t* words, First first, Next next) {
  const unsigned active = simt_mask(), lanes = simt_lanes();
  if (active == 0xFFFFFFFFu >> (32 - lanes) && lanes % 4 == 0) {  // four loads on their way at a time
    unsigned at = 0;
    do {
      const uint32_t one = words[at], two = words[at + 1], three = words[at + 2], four = words[at + 3];
      if (at == 0) first(at, one);
      else next(at, one);
      next(at + 1, two);
      next(at + 2, three);
      next(at + 3, four);
      at += 4;
    } while (at < lanes);
    return;
  }
  unsigned at = 0;
  while ((active >> at & 1) == 0) ++at;
  first(at, words[at]);
  for (unsigned rest = active >> at >> 1; rest != 0; rest >>= 1) {
    ++at;
    if ((rest & 1) != 0) next(at, words[at]);
  }
}

}  // namespace detail

/// combine(combine(value of the lowest active lane, value of the next), ...), in the order of the lanes: sums of floats
/// are those of a loop over the lanes. The same in all active lanes. `combine` may not part lanes.
template <class T, class Combine>
SIMT_INLINE T reduce(T value, Combine combine) {
  volatile uint32_t* const words = detail::words_of_warp();
  detail::publish(words, detail::word_of(value));
  T result = T();
  detail::each_word(
      words,
      [&](unsigned, uint32_t word) __attribute__((always_inline)) { result = detail::value_of<T>(word); },
      [&](unsigned, uint32_t word)
          __attribute__((always_inline)) { result = combine(result, detail::value_of<T>(word)); });
  return detail::value_of<T>(simt_uniform_word(detail::settled(detail::word_of(result))));
}
template <class T>
SIMT_INLINE T sum(T value) {
  return reduce(value, [](T a, T b) { return a + b; });
}
template <class T>
SIMT_INLINE T least(T value) {
  return reduce(value, [](T a, T b) { return std::min(a, b); });
}
template <class T>
SIMT_INLINE T greatest(T value) {
  return reduce(value, [](T a, T b) { return std::max(a, b); });
}

/// What reduce() would give in the active lanes up to this one.
template <class T, class Combine>
SIMT_INLINE T scan(T value, Combine combine) {
  const unsigned lane = simt_lane();
  volatile uint32_t* const words = detail::words_of_warp();
  detail::publish(words, detail::word_of(value));
  T result = T();
  detail::each_word(
      words,
      [&](unsigned, uint32_t word) __attribute__((always_inline)) { result = detail::value_of<T>(word); },
      [&](unsigned at, uint32_t word) __attribute__((always_inline)) {
        result = detail::select(at <= lane, combine(result, detail::value_of<T>(word)), result);
      });
  return detail::value_of<T>(detail::settled(detail::word_of(result)));
}
/// Sum of the values of the active lanes up to this one, and of those below this one only.
template <class T>
SIMT_INLINE T inclusive_sum(T value) {
  return scan(value, [](T a, T b) { return a + b; });
}
template <class T>
SIMT_INLINE T exclusive_sum(T value) {
  const unsigned lane = simt_lane();
  volatile uint32_t* const words = detail::words_of_warp();
  detail::publish(words, detail::word_of(value));
  T result = T();
  const auto add = [&](unsigned at, uint32_t word) __attribute__((always_inline)) {
    result = detail::select(at < lane, result + detail::value_of<T>(word), result);
  };
  detail::each_word(words, add, add);
  return detail::value_of<T>(detail::settled(detail::word_of(result)));
}

}  // namespace spica

#include <spica/atomic.h>
#include <spica/copy.h>
