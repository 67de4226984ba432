/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and strings. Lanes may call them together with different addresses and, for the mem
 * functions, different sizes; all lanes then take as long as the slowest. strlen and strcmp are for
 * one lane or for lanes with the same text. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void* memcpy(void* __restrict to, const void* __restrict from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
int memcmp(const void* a, const void* b, size_t size);
size_t strlen(const char* text);
int strcmp(const char* a, const char* b);

#ifdef __cplusplus
}
#endif
