// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory (machines with cluster.core.async_copy, such as ampere-sm), in the
// words of CUDA's __pipeline_memcpy_async:
//
//   pipeline_memcpy_async<16>(to, from);  // each lane 16 bytes
//   pipeline_commit();
//   ...
//   pipeline_wait_prior<0>();
//   simt_barrier(0, warps);  // only then what other warps have copied is there, too
//
// The copies of a warp since its last pipeline_commit() are a group. A warp continues after a copy at once: it is done
// when pipeline_wait_prior() has waited for its group, whatever fences and barriers come before.
#pragma once

#include <built_for.h>
#include <simt.h>

/// Copies 4, 8 or 16 bytes of this lane. `to` is in shared memory, `from` in global memory; both are multiples of
/// `bytes`.
template <unsigned bytes>
SIMT_INLINE void pipeline_memcpy_async(void* to, const void* from) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "a lane copies 4, 8 or 16 bytes");
  BUILT_FOR_HERE("async_copy", 1);
  __asm__ volatile(".insn r CUSTOM_2, 7, %c0, x0, %1, %2" ::"i"(bytes / 8), "r"(from), "r"(to) : "memory");
}

/// Ends a group of copies of this warp.
SIMT_INLINE void pipeline_commit() {
  BUILT_FOR_HERE("async_copy", 1);
  __asm__ volatile(".insn r CUSTOM_2, 7, 4, x0, x0, x0" ::: "memory");
}

/// Waits until at most the last `groups` groups of this warp are under way. A constant, 0 to 31.
template <unsigned groups>
SIMT_INLINE void pipeline_wait_prior() {
  static_assert(groups < 32, "0 to 31");
  BUILT_FOR_HERE("async_copy", 1);
  __asm__ volatile(".insn r CUSTOM_2, 7, 5, x0, x0, x%c0" ::"i"(groups) : "memory");
}
