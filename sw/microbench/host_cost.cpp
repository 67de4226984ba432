// SPDX-License-Identifier: Apache-2.0
// What `spica bench` runs: one kind of instruction over and over on all lanes of all warps. The host's work for one of
// them is the difference of two runs of different length.
//
// Arguments
//    0  u32 kind     0 ends at once, 1 integer additions, 2 loads, 3 tensor instructions
//    4  u32 turns    of a loop with 256 of them (tensor: 64)
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <tensor_core.h>

struct Arguments {
  uint32_t kind, turns;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0};

namespace {

// Eight registers in turn: none waits for the one before.
void additions(unsigned, void*) {
  unsigned turns = arguments.turns;
  __asm__ volatile(
      "1:\n\t"
      ".rept 32\n\t"
      "addi t0, t0, 1\n\taddi t1, t1, 1\n\taddi t2, t2, 1\n\taddi t3, t3, 1\n\t"
      "addi t4, t4, 1\n\taddi t5, t5, 1\n\taddi t6, t6, 1\n\taddi a7, a7, 1\n\t"
      ".endr\n\t"
      "addi %0, %0, -1\n\tbnez %0, 1b"
      : "+r"(turns)::"t0", "t1", "t2", "t3", "t4", "t5", "t6", "a7");
}

// The lanes of a warp read neighbouring words, each warp its own line: in the L1 from the first time on.
void loads(unsigned id, void*) {
  unsigned turns = arguments.turns;
  const unsigned address = PLATFORM_OPERAND_A + 4 * id;
  __asm__ volatile(
      "1:\n\t"
      ".rept 32\n\t"
      "lw t0, 0(%1)\n\tlw t1, 0(%1)\n\tlw t2, 0(%1)\n\tlw t3, 0(%1)\n\t"
      "lw t4, 0(%1)\n\tlw t5, 0(%1)\n\tlw t6, 0(%1)\n\tlw a7, 0(%1)\n\t"
      ".endr\n\t"
      "addi %0, %0, -1\n\tbnez %0, 1b"
      : "+r"(turns)
      : "r"(address)
      : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a7", "memory");
}

// Both accumulators in turn, all operands in registers: what was loaded to PLATFORM_OPERAND_A and _B.
void products(unsigned id, void*) {
  tensor_core_load_a<4>(PLATFORM_OPERAND_A + 32 * id);
  tensor_core_load_b<4>(PLATFORM_OPERAND_B + 32 * id);
  for (unsigned turns = arguments.turns; turns != 0; --turns) {
#pragma GCC unroll 32
    for (unsigned i = 0; i < 32; ++i) {
      tensor_core_multiply<0>();
      tensor_core_multiply<1>();
    }
  }
}

}  // namespace

int main() {
  constexpr spawn_task kKinds[] = {additions, loads, products};
  const unsigned kind = arguments.kind;
  if (kind == 0) return 0;
  if (kind > 3) return 2;
  spawn_tasks(spawn_threads(), kKinds[kind - 1], nullptr);
  return 0;
}
