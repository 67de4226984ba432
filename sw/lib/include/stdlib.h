/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the calling warp. The code of warp 0, lane 0 of core 0 is the exit code of the program. */
void exit(int code) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
