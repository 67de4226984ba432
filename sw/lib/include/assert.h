/* SPDX-License-Identifier: Apache-2.0
 *
 * assert(condition): lanes for which it does not hold print file, line and their number, then
 * the program stops with a report and exit code 1. It may differ between lanes, but not inside more
 * than six levels of SIMT_IF. NDEBUG removes it. No include guard: NDEBUG may change. */
#include "simt.h"

#ifdef __cplusplus
extern "C" {
#endif
void simt_assertion_failed(const char* expression, const char* file, unsigned line, const char* function);
#ifdef __cplusplus
}
#endif

/* Stops the program. The break is here and not in a function, so that the report names this line; it finds `text`, a string
 * literal, by the address of the break. */
#define SIMT_ASSERTION_STOP(text)                \
  __asm__ volatile(                              \
      "1: ebreak\n\t"                            \
      ".pushsection .debug_spica_assertions\n\t" \
      ".4byte 1b, %0\n\t.popsection" ::"i"(text) \
      : "memory")

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                              \
  (__extension__({                                                     \
    SIMT_IF(!(condition))                                              \
      simt_assertion_failed(#condition, __FILE__, __LINE__, __func__); \
      SIMT_ASSERTION_STOP(#condition);                                 \
    SIMT_END_IF(void)                                                  \
    0;                                                                 \
  }))
#endif

#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
