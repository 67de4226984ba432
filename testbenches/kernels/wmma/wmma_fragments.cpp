// SPDX-License-Identifier: Apache-2.0
// Runs tensor instructions on given registers. Argument: u32 count. For each of `count` fragments, 1 KB
// from PLATFORM_OPERAND_A on (register f0..f31, each 8 lanes): loads all registers, executes
// 0x0000007B, 0x000000FB, 0x0000007B and stores all registers to PLATFORM_RESULT in the same form. A
// fragment per warp; the instruction words are written as published programs have them.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>

struct Arguments {
  uint32_t count;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1};

static void run(unsigned id, void*) {
  const unsigned place = id / 8 * 1024 + id % 8 * 4;
  __asm__ volatile(
      ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
      "flw f\\r, 32 * \\r(%0)\n\t"
      ".endr\n\t"
      ".word 0x0000007B\n\t"
      ".word 0x000000FB\n\t"
      ".word 0x0000007B\n\t"
      ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
      "fsw f\\r, 32 * \\r(%1)\n\t"
      ".endr" ::"r"(PLATFORM_OPERAND_A + place),
      "r"(PLATFORM_RESULT + place)
      : "memory", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13",
        "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27",
        "f28", "f29", "f30", "f31");
}

int main() {
  spawn_tasks(8 * arguments.count, run, nullptr);
  return 0;
}
