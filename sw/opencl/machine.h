// SPDX-License-Identifier: Apache-2.0
// What the built-in library of OpenCL C reads of the machine. It is compiled as OpenCL C for 32-bit nvptx, whose
// address spaces and names libclc has, and retargeted (platform/workloads/opencl/module): the assembly is RISC-V.
#pragma once

#include <opencl-c-base.h>

#define OVERLOAD __attribute__((overloadable))
#define PURE __attribute__((const))

#define READ_CSR(name, number)                  \
  static inline PURE uint name(void) {          \
    uint value;                                 \
    __asm__("csrr %0, " #number : "=r"(value)); \
    return value;                               \
  }
READ_CSR(lane_in_warp, 0xCC0)
READ_CSR(lanes_of_warp, 0xFC0)
// Of the work group; the same in all lanes but for the place of the work item.
READ_CSR(warp_in_group, 0xCD1)
READ_CSR(warps_of_group, 0xCD2)
READ_CSR(item_x, 0xCD3)
READ_CSR(item_y, 0xCD4)
READ_CSR(item_z, 0xCD5)
READ_CSR(group_x, 0xCD6)
READ_CSR(group_y, 0xCD7)
READ_CSR(group_z, 0xCD8)
READ_CSR(items_x, 0xCD9)
READ_CSR(items_y, 0xCDA)
READ_CSR(items_z, 0xCDB)
READ_CSR(groups_x, 0xCDC)
READ_CSR(groups_y, 0xCDD)
READ_CSR(groups_z, 0xCDE)
// The address of the argument block.
READ_CSR(argument_block, 0x340)
#undef READ_CSR

// Its first words.
enum { HEAD_OFFSET = 0, HEAD_DIMENSIONS = 3 };
static inline PURE uint head_word(uint n) { return ((const __constant uint*)argument_block())[n]; }

/// Of three values, the nth; for n from 3 on `other`, as the standard says. Without branches.
static inline PURE uint pick(uint n, uint x, uint y, uint z, uint other) {
  return n == 0 ? x : n == 1 ? y : n == 2 ? z : other;
}
