/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of the public runtime's header of this name that the example needs, written for the tests of
 * docs/howto/public-sources.md. Numbers of CSRs and instructions: models/isa. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define VX_READ(name, number)                            \
  static inline int name(void) {                         \
    int value;                                           \
    __asm__ volatile("csrr %0, " #number : "=r"(value)); \
    return value;                                        \
  }
VX_READ(vx_thread_id, 0xCC0)
VX_READ(vx_warp_id, 0xCC1)
VX_READ(vx_core_id, 0xCC2)
VX_READ(vx_active_warps, 0xCC3)
VX_READ(vx_hart_id, 0xF14)
VX_READ(vx_num_threads, 0xFC0)
VX_READ(vx_num_warps, 0xFC1)
VX_READ(vx_num_cores, 0xFC2)
#undef VX_READ

static inline void vx_tmc(int mask) {
  __asm__ volatile(".insn r 0x0B, 0, 0, x0, %0, x0" ::"r"(mask) : "memory");
}
static inline void vx_wspawn(int warps, void (*entry)(void)) {
  __asm__ volatile(".insn r 0x0B, 1, 0, x0, %0, %1" ::"r"(warps), "r"(entry) : "memory");
}
static inline void vx_barrier(int id, int warps) {
  __asm__ volatile(".insn r 0x0B, 4, 0, x0, %0, %1" ::"r"(id), "r"(warps) : "memory");
}
static inline void vx_fence(void) { __asm__ volatile("fence iorw, iorw" ::: "memory"); }

#ifdef __cplusplus
}
#endif
