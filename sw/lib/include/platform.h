/* SPDX-License-Identifier: Apache-2.0
 *
 * The address map as firmware sees it, for C, C++ and assembly. Defaults are the v1 machine (64 KB
 * of shared memory). A program cannot query how much shared memory there is, so a kernel for another
 * configuration is compiled with -DPLATFORM_SHARED_SIZE=0x20000 (128 KB) or
 * 0x40000. */
#pragma once

#define PLATFORM_ARGS 0x9FFF0000      /* argument block of the kernel, 8 KB */
#define PLATFORM_OPERAND_A 0xA0000000 /* 16 MB each */
#define PLATFORM_OPERAND_B 0xA1000000
#define PLATFORM_OPERAND_C 0xA2000000
#define PLATFORM_RESULT 0xC0000000 /* where published kernels put C */

#define PLATFORM_SHARED_BASE 0xFF000000
#ifndef PLATFORM_SHARED_SIZE
#define PLATFORM_SHARED_SIZE 0x10000
#endif
#ifndef PLATFORM_PRINT_BUFFER
#define PLATFORM_PRINT_BUFFER (PLATFORM_SHARED_BASE + PLATFORM_SHARED_SIZE)
#endif
#ifndef PLATFORM_MATRIX_UNITS
#define PLATFORM_MATRIX_UNITS (PLATFORM_SHARED_BASE + PLATFORM_SHARED_SIZE + 0x3000)
#endif

/* Stack of hart h: grows down from PLATFORM_STACK_TOP - h * PLATFORM_STACK_STRIDE. The odd 16 bytes
 * put the stacks of the lanes of a warp on different cache lines. */
#ifndef PLATFORM_STACK_TOP
#define PLATFORM_STACK_TOP 0xFF000000
#endif
#define PLATFORM_STACK_BYTES 8192
#define PLATFORM_STACK_STRIDE (PLATFORM_STACK_BYTES + 16)

/* Cores the runtime has spawn slots for. */
#ifndef PLATFORM_MAX_CORES
#define PLATFORM_MAX_CORES 64
#endif
