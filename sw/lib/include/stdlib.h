/* SPDX-License-Identifier: Apache-2.0
 *
 * Program termination, and memory. All functions may be called by any lanes of any warps of any cores, also
 * inside SIMT_IF.
 *
 * All cores share one heap: kernel.ld places it after .bss, 64 MB or
 * -Wl,--defsym=__heap_size=BYTES, far from the stacks. Lanes are served one after the other, warps one
 * at a time, so allocate before the hot loop. What one core has written is visible to another
 * after a barrier, as with any memory. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

/* exit(0) ends the calling warp; the program ends with the last one. Another code, from any lane,
 * calls what atexit() and destructors have registered and ends the program at once with that code. */
void exit(int code) __attribute__((noreturn));
/* Ends the program at once with that code, also with 0. */
void _Exit(int code) __attribute__((noreturn));
/* Calls `function` when the program ends, on core 0 in the reverse order of registration, after the
 * main() of all cores has returned; up to 256, -1 when there are more. Each call registers it once. */
int atexit(void (*function)(void));

/* Stops the program with a report, exit code 1. */
static inline __attribute__((always_inline, noreturn)) void abort(void) {
#ifdef __riscv
  __asm__ volatile(
      "fence iorw, iorw\n1: ebreak\n\t"
      ".pushsection .debug_spica_assertions\n\t.4byte 1b, 0\n\t.popsection" ::
          : "memory");
#endif
  __builtin_unreachable();
}

/* NULL when there is not enough left. Aligned to 16 bytes. */
void* malloc(size_t bytes);
void* calloc(size_t count, size_t bytes);
void* realloc(void* data, size_t bytes);
void* aligned_alloc(size_t alignment, size_t bytes); /* alignment: a power of two */
/* A pointer that is not a block of malloc(), or is already freed, stops the program with a message. */
void free(void* data);

static inline int abs(int value) {
  const int sign = value >> 31;
  return (value ^ sign) - sign;
}

#ifdef __cplusplus
}
#endif
