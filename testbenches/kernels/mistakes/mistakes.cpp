// SPDX-License-Identifier: Apache-2.0
// Programs with one mistake each, chosen by the argument block. The test wants the words of the report, and the
// line that is marked here.
#include <arguments.h>
#include <matrix_unit.h>
#include <simt.h>
#include <stdio.h>

namespace {

struct Arguments {
  unsigned number;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0};

volatile unsigned value;

#define CASE(name) __attribute__((noinline)) void name()
#define WRITE_CSR(number, from) __asm__ volatile("csrw " #number ", %0" ::"r"(from))
#define READ_CSR(number, to) __asm__ volatile("csrr %0, " #number : "=r"(to))
#define SPLIT(condition, parted) \
  __asm__ volatile(".insn r CUSTOM_0, 2, 0, %0, %1, x0" : "=&r"(parted) : "r"(condition))
#define JOIN(parted) __asm__ volatile(".insn r CUSTOM_0, 3, 0, x0, %0, x0" ::"r"(parted))
#define BAR(id, count) __asm__ volatile(".insn r CUSTOM_0, 4, 0, x0, %0, %1" ::"r"(id), "r"(count))

volatile unsigned* word(unsigned address) { return reinterpret_cast<volatile unsigned*>(address); }
volatile unsigned char* byte(unsigned address) { return reinterpret_cast<volatile unsigned char*>(address); }

void end() { simt_tmc(0); }
void count() {
  for (volatile int i = 0; i < 2000; ++i) continue;
  simt_tmc(0);
}
void wait_alone() {
  while ((simt_active_warps() & (simt_active_warps() - 1)) != 0) continue;
}

/// What all lanes need is made behind simt_tmc(0xFF): in front of it, lane 0 alone would have it.
__attribute__((always_inline)) inline unsigned lane_here() {
  unsigned lane;
  __asm__ volatile("csrr %0, 0xCC0" : "=r"(lane));
  return lane;
}
template <unsigned number>
__attribute__((always_inline)) inline unsigned number_here() {
  unsigned value_here;
  __asm__ volatile("li %0, %1" : "=r"(value_here) : "i"(number));
  return value_here;
}
/// All lanes of warp 0 do something that the compiler does not move out of it.
template <class Act>
__attribute__((always_inline)) inline void in_all_lanes(Act act) {
  simt_tmc(0xFF);
  act();
  simt_tmc(number_here<1>());
}

/// A call, whose addresses are made behind it: in front of it other lanes are active.
__attribute__((noinline)) void wait_for_unit() { matrix_unit_fence(0); }

// ---- what the hardware executes silently ----

CASE(spawn_too_many) {
  simt_wspawn(100, end); /* spawn_too_many */
  wait_alone();
}
CASE(spawn_running) {
  simt_wspawn(3, count);
  simt_wspawn(3, end); /* spawn_running */
  wait_alone();
}
CASE(mask_too_wide) { simt_tmc(0x101); /* mask_too_wide */ }
CASE(mask_of_nobody) { simt_tmc(0x100); /* mask_of_nobody */ }
CASE(mask_of_pred) { simt_pred(0, 0x201); /* mask_of_pred */ }
CASE(barrier_id) { simt_bar(simt_hide(9), 1); /* barrier_id */ }
CASE(even_condition) {
  in_all_lanes([] {
    unsigned parted;
    SPLIT(lane_here() << 1, parted); /* even_condition */
    JOIN(parted);
  });
}
CASE(even_pred) { simt_pred(2, 1); /* even_pred */ }
CASE(join_of_something) { JOIN(0x80001230); /* join_of_something */ }
CASE(lanes_of_a_barrier) {
  in_all_lanes([] {
    BAR(lane_here(), number_here<1>()); /* lanes_of_a_barrier */
  });
}
CASE(lanes_of_frm) {
  in_all_lanes([] {
    WRITE_CSR(frm, lane_here() & 3); /* lanes_of_frm */
  });
  WRITE_CSR(frm, 0);
}
CASE(unknown_csr) {
  unsigned read;
  READ_CSR(0x7c0, read); /* unknown_csr */
  value = read;
}
CASE(unknown_csr_write) { WRITE_CSR(0x7c1, 1); /* unknown_csr_write */ }
CASE(read_only_csr) { WRITE_CSR(0xcc1, 3); /* read_only_csr */ }
CASE(read_only_counter) { WRITE_CSR(cycle, 3); /* read_only_counter */ }
CASE(read_only_hart) { __asm__ volatile("csrsi mhartid, 1"); /* read_only_hart */ }
CASE(command_of_all_lanes) {
  matrix_unit_config_execute(0);
  in_all_lanes([] {
    WRITE_CSR(0xACC, number_here<MATRIX_UNIT_Q_STRIDE_AB>()); /* command_of_all_lanes */
  });
  wait_for_unit();
}
CASE(command_of_a_silent_lane) {
  simt_tmc(0xFF);
  const unsigned word = simt_hide(MATRIX_UNIT_Q_STRIDE_AB);
  simt_tmc(0x0E);
  WRITE_CSR(0xACC, word); /* command_of_a_silent_lane */
  simt_tmc(number_here<1>());
  wait_for_unit();
}
CASE(wmma_of_some_lanes) {
  simt_tmc(0x0F);
  __asm__ volatile(".insn r 0x7B, 0, 0, x0, x0, x0"); /* wmma_of_some_lanes */
  simt_tmc(number_here<1>());
}
// These never go on.
CASE(barrier_of_nobody) { simt_bar(1, 0); /* barrier_of_nobody */ }
CASE(barrier_of_too_many) { simt_bar(1, 20); /* barrier_of_too_many */ }

// ---- faults ----

CASE(byte_load_of_register) { value = *byte(0xFF013020); /* byte_load_of_register */ }
CASE(byte_store_to_register) { *byte(0xFF013010) = 1; /* byte_store_to_register */ }
CASE(store_to_busy) { *word(0xFF013020) = 1; /* store_to_busy */ }
CASE(load_of_operand) { value = *word(0xFF013010); /* load_of_operand */ }
CASE(register_hole) { value = *word(0xFF013004); /* register_hole */ }
CASE(atomic_on_register) {
  __asm__ volatile("amoadd.w x0, %0, (%1)" ::"r"(1), "r"(0xFF013010)); /* atomic_on_register */
}
CASE(dma_from_nowhere) {
  matrix_unit_config_load(0, 0, 256);
  matrix_unit_config_load(0, 1, 256);
  matrix_unit_loop_stride_ab(0, 64, 64);
  matrix_unit_loop_address_ab(0, 0x10000000, 0x10000000);
  matrix_unit_cisc(0, MATRIX_UNIT_Q_LOAD_0); /* dma_from_nowhere */
  matrix_unit_fence(0);
}
CASE(unknown_opcode) { matrix_unit_cisc(0, 7); /* unknown_opcode */ }
CASE(unknown_unit) { matrix_unit_cisc(3, MATRIX_UNIT_Q_LOAD_0); /* unknown_unit */ }
CASE(unknown_function) { *word(0xFF013000) = 0x0000307B | 63u << 25; /* unknown_function */ }
CASE(jump_to_nowhere) { reinterpret_cast<void (*)()>(0x10000000)(); /* jump_to_nowhere */ }
CASE(jump_to_shared_memory) { reinterpret_cast<void (*)()>(0xFF000000)(); /* jump_to_shared_memory */ }
CASE(jump_to_the_middle) { __asm__ volatile("jr %0" ::"r"(0x80000002)); /* jump_to_the_middle */ }
CASE(call_of_nobody) { __asm__ volatile("ecall"); /* call_of_nobody */ }
CASE(breakpoint) { __asm__ volatile("ebreak"); /* breakpoint */ }
CASE(reserved_rounding) {
  WRITE_CSR(frm, 7);
  __asm__ volatile("fadd.s fa0, fa0, fa0"); /* reserved_rounding */
}
CASE(too_many_splits) {
  simt_tmc(0xFF);
  for (;;) {
    unsigned parted;
    SPLIT(lane_here() & 1, parted); /* too_many_splits */
    simt_tmc(number_here<0xFF>());
  }
}
CASE(atomic_nowhere) {
  __asm__ volatile("amoadd.w x0, %0, (%1)" ::"r"(1), "r"(0x10000000)); /* atomic_nowhere */
}
CASE(product_of_other_style) {
  __asm__ volatile(".insn r 0x7B, 0, 0, x0, %0, %1" ::"r"(0x80000000),
                   "r"(0x80000000)); /* product_of_other_style */
}

void (*const cases[])() = {spawn_too_many,         spawn_running,
                           mask_too_wide,          mask_of_nobody,
                           mask_of_pred,           barrier_id,
                           even_condition,         even_pred,
                           join_of_something,      lanes_of_a_barrier,
                           lanes_of_frm,           unknown_csr,
                           unknown_csr_write,      read_only_csr,
                           read_only_counter,      read_only_hart,
                           command_of_all_lanes,   command_of_a_silent_lane,
                           wmma_of_some_lanes,     barrier_of_nobody,
                           barrier_of_too_many,    byte_load_of_register,
                           byte_store_to_register, store_to_busy,
                           load_of_operand,        register_hole,
                           atomic_on_register,     dma_from_nowhere,
                           unknown_opcode,         unknown_unit,
                           unknown_function,       jump_to_nowhere,
                           jump_to_shared_memory,  jump_to_the_middle,
                           call_of_nobody,         breakpoint,
                           reserved_rounding,      too_many_splits,
                           atomic_nowhere,         product_of_other_style};

}  // namespace

int main() {
#ifdef EVERYWHERE
#pragma GCC unroll 1
  for (unsigned i = 0; i < 10; ++i) {
    unsigned read;
    READ_CSR(0x7c0, read);
  }
  return 0;
#endif
  if (simt_core() != 0) return 0;
  cases[arguments.number]();
  printf("done\n");
  return 0;
}
