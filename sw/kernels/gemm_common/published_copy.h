// SPDX-License-Identifier: Apache-2.0
// The copy of a tile to shared memory as in the published source (kernels sgemm_impl.hpp, load_tile_to_smem without a
// transposition): eight loads and eight stores at once, and behind each of them a pointer moves on. A tile has a row of
// words for each word of k in global memory and in shared memory.
#pragma once

#include "sw/kernels/gemm_common/tile_shape.h"

/// The words of a thread of a tile of `columns` words in kTileWords rows. `from`: the tile in global memory, whose rows
/// are `row_bytes` apart; `to`: in shared memory.
template <unsigned columns>
__attribute__((always_inline)) static inline void copy_tile_as_published(unsigned thread, unsigned from,
                                                                         unsigned row_bytes, unsigned to) {
  constexpr unsigned kRows = kThreads / columns;  // that all threads cover
  static_assert(kThreads % columns == 0 && kTileWords % (8 * kRows) == 0, "words of a thread");
  const unsigned row = thread / columns, column = thread % columns;
  from += row * row_bytes + column * kWordBytes;
  to += (row * columns + column) * kWordBytes;
#define LOAD(word)                                                      \
  __asm__ volatile("flw " word ", 0(%0)" ::"r"(from) : "memory", word); \
  from += kRows * row_bytes
#define STORE(word)                                             \
  __asm__ volatile("fsw " word ", 0(%0)" ::"r"(to) : "memory"); \
  to += kRows * columns * kWordBytes
#pragma GCC unroll 1
  for (unsigned done = 0; done < kTileWords; done += 8 * kRows) {
    LOAD("f0");
    LOAD("f1");
    LOAD("f2");
    LOAD("f3");
    LOAD("f4");
    LOAD("f5");
    LOAD("f6");
    LOAD("f7");
    STORE("f0");
    STORE("f1");
    STORE("f2");
    STORE("f3");
    STORE("f4");
    STORE("f5");
    STORE("f6");
    STORE("f7");
  }
#undef LOAD
#undef STORE
}
