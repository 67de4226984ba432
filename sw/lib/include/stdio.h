/* SPDX-License-Identifier: Apache-2.0
 *
 * Printing. %d %i %u %x %X %o %c %s %p %f %F %e %E %g %G %%, flags - + space 0 #, width, precision
 * and *, lengths hh h l ll z t j. Floating-point text is exact, as in any C library.
 *
 * printf, puts and putchar may be called by any lanes of any warps, also inside SIMT_IF: the active
 * lanes print one after the other, lane 0 first, each its whole text. A line of text belongs to one
 * lane of one warp; lines of different warps appear in order of time. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char* format, va_list arguments) __attribute__((format(printf, 1, 0)));
int puts(const char* text);
int putchar(int character);

/* These format in the calling lanes at once, so all active lanes must have the same arguments; from
 * lanes that differ call them inside simt_each_lane(). */
int snprintf(char* out, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char* out, size_t size, const char* format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#ifdef __cplusplus
}
#endif
