// SPDX-License-Identifier: Apache-2.0
// Kernels whose warps save no registers. A function stores the registers that belong to its caller on the stack: one
// request to the level 1 cache for each register and lane, thousands of cycles for a small launch. The caller of a kernel
// needs none of them, and a kernel ends its warp itself.
//
// With the feature save-restore clang calls a routine of the library that saves integer registers. Here it saves none.
// Floating-point registers fs0 to fs11 are saved by the function itself: keep to the other twenty.
#pragma once

#include <simt.h>
#include <spica/group.h>

#ifdef __clang__
#define NETWORK_UNSAVED __attribute__((target("arch=+save-restore")))
__asm__(
    ".pushsection .text.riscv_save,\"axG\",@progbits,__riscv_save_0,comdat\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12\n\t"
    ".globl __riscv_save_\\n\n__riscv_save_\\n:\n"
    ".endr\n\t"
    "addi sp, sp, -64\n\tjr t0\n\t"
    ".popsection");
#else
#define NETWORK_UNSAVED
#endif

namespace network {

/// The end of a warp of a work group, as behind a return.
[[noreturn]] SIMT_INLINE void end_warp() {
  __asm__ volatile(
      "li gp, 0\n\tfence iorw, iorw\n\t"
      ".insn r CUSTOM_0, 0, 0, x0, x0, x0");
  __builtin_unreachable();
}

}  // namespace network

/// A kernel `name` that is the function run() of a class, with work groups of `threads` threads.
#define NETWORK_KERNEL(name, threads, shared_bytes, ...)                                        \
  extern "C" [[noreturn]] NETWORK_UNSAVED void name(const spica::NetworkArguments* arguments) { \
    __VA_ARGS__::run(arguments);                                                                \
    network::end_warp();                                                                        \
  }                                                                                             \
  SPICA_KERNEL(name, threads, shared_bytes)
