// SPDX-License-Identifier: Apache-2.0
// Barriers and fences. A fence of the machine orders all accesses of the core, to global and to local memory.
#include "machine.h"

static inline void fence(void) { __asm__ volatile("fence iorw, iorw" ::: "memory"); }

/// Barrier 0 of the work group: all its warps.
static inline void group_barrier(void) {
  fence();
  __asm__ volatile(".insn r CUSTOM_0, 4, 0, x0, %0, %1" ::"r"(0), "r"(0) : "memory");
}

__attribute__((convergent)) OVERLOAD void barrier(cl_mem_fence_flags flags) { group_barrier(); }
__attribute__((convergent)) OVERLOAD void work_group_barrier(cl_mem_fence_flags flags) { group_barrier(); }
__attribute__((convergent)) OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  group_barrier();
}

OVERLOAD void mem_fence(cl_mem_fence_flags flags) { fence(); }
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { fence(); }
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { fence(); }

// The lanes of a warp run together.
__attribute__((convergent)) OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags) { fence(); }
__attribute__((convergent)) OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { fence(); }
