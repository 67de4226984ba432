// SPDX-License-Identifier: Apache-2.0
// Shared memory as a C++ type, matrices in memory, and copies that several threads make together. Copies by the DMA,
// during which threads do something else, are in <spica/matrix.h>.
#pragma once

#include <platform.h>
#include <simt.h>
#include <stdint.h>

namespace spica {

/// Shared memory of the cluster, `offset` bytes from its start, as a T: declare what lies there as a struct, once.
///
///   struct Shared { float a[64][64], b[64][64]; };
///   auto& shared = spica::shared<Shared>();
///
/// Nothing is constructed: it has what was stored there last.
template <class T, unsigned offset = 0>
SIMT_INLINE T& shared() {
  static_assert(offset + sizeof(T) <= PLATFORM_SHARED_SIZE,
                "more than the shared memory of the machine (-DPLATFORM_SHARED_SIZE)");
  static_assert(offset % alignof(T) == 0, "the offset is not a multiple of the alignment");
  return *reinterpret_cast<T*>(static_cast<uintptr_t>(PLATFORM_SHARED_BASE) + offset);
}

/// A row-major matrix in memory: its first element, and how many elements lie from one row to the next.
template <class T>
struct Matrix {
  T* data;
  unsigned row;

  __attribute__((always_inline)) T& operator()(unsigned i, unsigned j) const { return data[i * row + j]; }
  /// The part of it that begins at row i and column j.
  __attribute__((always_inline)) Matrix at(unsigned i, unsigned j) const { return {data + i * row + j, row}; }
};

/// Some threads that do something together: the number of this one, and how many they are.
struct Threads {
  unsigned number, count;
};
SIMT_INLINE Threads this_warp() { return {simt_lane(), simt_lanes()}; }
/// All threads of a machine with one cluster.
SIMT_INLINE Threads all_threads() { return {simt_hart(), simt_lanes() * simt_warps() * simt_cores()}; }

namespace detail {

/// copy_one(i) for the numbers below `count` that are this thread's, four at a time: four loads before four stores, so
/// that one waits for memory while the others are on their way. Neighbouring threads have neighbouring numbers. Lanes
/// stay together until the last round.
template <class Load, class Store>
SIMT_INLINE void each_of(Threads who, unsigned count, Load load, Store store) {
  unsigned base = 0;
  for (; base + 4 * who.count <= count; base += 4 * who.count) {
    const unsigned i = base + who.number;
    const auto first = load(i), second = load(i + who.count), third = load(i + 2 * who.count),
               fourth = load(i + 3 * who.count);
    store(i, first);
    store(i + who.count, second);
    store(i + 2 * who.count, third);
    store(i + 3 * who.count, fourth);
  }
  for (; base < count; base += who.count) {
    const unsigned i = base + who.number;
    SIMT_IF(i < count)
      store(i, load(i));
    SIMT_END_IF
  }
}

}  // namespace detail

/// `count` elements; `count` and `who.count` are the same in all lanes. Others see them behind barrier().
template <class T>
SIMT_INLINE void copy(Threads who, T* to, const T* from, unsigned count) {
  detail::each_of(
      who, count, [=](unsigned i) __attribute__((always_inline)) { return from[i]; },
      [=](unsigned i, T value) __attribute__((always_inline)) { to[i] = value; });
}
/// rows x columns elements.
template <unsigned rows, unsigned columns, class T, class From>
SIMT_INLINE void copy(Threads who, Matrix<T> to, Matrix<From> from) {
  detail::each_of(
      who, rows * columns,
      [=](unsigned i) __attribute__((always_inline)) { return from(i / columns, i % columns); },
      [=](unsigned i, T value) __attribute__((always_inline)) { to(i / columns, i % columns) = value; });
}
template <class T>
SIMT_INLINE void fill(Threads who, T* to, T value, unsigned count) {
  detail::each_of(
      who, count, [=](unsigned) __attribute__((always_inline)) { return value; },
      [=](unsigned i, T one) __attribute__((always_inline)) { to[i] = one; });
}

}  // namespace spica
