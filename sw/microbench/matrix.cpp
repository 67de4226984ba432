// SPDX-License-Identifier: Apache-2.0
// Loops of the matrix unit: loads by its DMA, and block operations on operands in shared memory.
// One lane drives the unit. Its registers are where the host says, because they move with the
// size of shared memory.
#include "microbench.h"

#include <models/matrix_unit/matrix_unit_regs.h>
#include <simt.h>

namespace {

/// The unit's registers; operands stay latched, so a command that repeats is one store.
class Unit {
 public:
  explicit Unit(unsigned base) : base_(base) {}

  void command(unsigned function, unsigned rs1_high, unsigned rs1, unsigned rs2_high, unsigned rs2) const {
    at(MATRIX_UNIT_RS1_HI) = rs1_high;
    at(MATRIX_UNIT_RS2_HI) = rs2_high;
    repeat(function, rs1, rs2);
  }
  void repeat(unsigned function, unsigned rs1, unsigned rs2) const {
    at(MATRIX_UNIT_RS1_LO) = rs1;
    at(MATRIX_UNIT_RS2_LO) = rs2;
    launch(function);
  }
  void launch(unsigned function) const { at(MATRIX_UNIT_INSTRUCTION) = instruction(function); }
  /// 16 times the same, and that `times` times. An addition and a branch in each turn, whatever the compiler: the
  /// formula knows of them.
  void launch_16(unsigned function, unsigned times) const {
    __asm__ volatile("1:\n\t.rept 16\n\tsw %1, %3(%2)\n\t.endr\n\taddi %0, %0, -1\n\tbnez %0, 1b"
                     : "+r"(times)
                     : "r"(instruction(function)), "r"(base_), "i"(MATRIX_UNIT_INSTRUCTION)
                     : "memory");
  }
  /// busy is seen some cycles late: looks until it has been idle several times in a row.
  void wait() const {
    for (unsigned i = 0; i < 4; ++i)
      while (at(MATRIX_UNIT_BUSY) != 0) {
      }
  }

 private:
  static constexpr unsigned instruction(unsigned function) {
    return MATRIX_UNIT_INSTRUCTION_BASE | MATRIX_UNIT_RS2_FIELD | function << MATRIX_UNIT_FUNCTION_SHIFT;
  }
  volatile unsigned& at(unsigned offset) const {
    return *reinterpret_cast<volatile unsigned*>(base_ + offset);
  }
  unsigned base_;
};

/// Settings of both loop slots; they stay until they are written again.
void configure(Unit unit, const volatile Arguments& a) {
  unit.command(MATRIX_UNIT_CONFIG, 0x3F800000,
               1u << MATRIX_UNIT_EXECUTE_A_STRIDE_SHIFT | MATRIX_UNIT_EXECUTE_WEIGHT_STATIONARY |
                   MATRIX_UNIT_CONFIG_EXECUTE,
               1u << MATRIX_UNIT_EXECUTE_C_STRIDE_HI_SHIFT, 0);
  const unsigned strides[2] = {a.a_stride, a.b_stride};
  const unsigned dim = a.dim;
  for (unsigned state = 0; state < 2; ++state)
    unit.command(MATRIX_UNIT_CONFIG, 0x3F800000,
                 dim << MATRIX_UNIT_LOAD_BLOCK_STRIDE_SHIFT | 1u << MATRIX_UNIT_LOAD_REPEATS_SHIFT |
                     state << MATRIX_UNIT_LOAD_STATE_SHIFT | MATRIX_UNIT_CONFIG_LOAD,
                 0, strides[state]);
}

void set_loop(Unit unit, const volatile Arguments& a) {
  unit.command(MATRIX_UNIT_LOOP_BOUNDS, 0, 0, a.k << MATRIX_UNIT_BOUND_K_HI_SHIFT,
               a.j << MATRIX_UNIT_BOUND_J_SHIFT | a.i << MATRIX_UNIT_BOUND_I_SHIFT);
  unit.command(MATRIX_UNIT_LOOP_ADDRESS_AB, 0, a.lane_address[0], 0, a.lane_address[1]);
  unit.command(MATRIX_UNIT_LOOP_STRIDE_AB, 0, a.a_stride / a.element_bytes, 0, a.b_stride / a.element_bytes);
  unit.command(MATRIX_UNIT_LOOP_SPAD_AB, 0, a.a_row, 0, a.b_end);
}

constexpr unsigned kShort = 16;  // loops of the short run; the long one has `loops` more

// Both versions run the same code, so that what they have in common cancels.
[[gnu::noinline]] unsigned time_loads(Unit unit, unsigned a, unsigned b, unsigned fresh, unsigned loops) {
  const unsigned begin = simt_cycle();
  for (unsigned i = 0; i < loops; ++i) {
    unit.repeat(MATRIX_UNIT_LOOP_ADDRESS_AB, a, b);
    unit.repeat(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
    a += fresh;
    b += fresh;
  }
  unit.wait();
  return simt_cycle() - begin;
}

/// `loops` is a multiple of 16.
[[gnu::noinline]] unsigned time_loops(Unit unit, unsigned loops) {
  const unsigned begin = simt_cycle();
  unit.launch_16(MATRIX_UNIT_LOOP_WS, loops / 16);
  unit.wait();
  return simt_cycle() - begin;
}

}  // namespace

Result measure_dma(const volatile Arguments& arguments) {
  const Unit unit(arguments.registers);
  const unsigned fresh = arguments.fresh;
  unsigned a = arguments.lane_address[0], b = arguments.lane_address[1];
  configure(unit, arguments);
  for (unsigned slot = 0; slot < 2; ++slot) {  // also brings code, and what is not fresh, into the caches
    set_loop(unit, arguments);
    unit.repeat(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  }
  unit.wait();
  unsigned cycles[2];
  for (unsigned pass = 0; pass < 2; ++pass) {
    for (unsigned version = 0; version < 2; ++version) {
      const unsigned loops = version == 0 ? kShort : kShort + arguments.loops;
      a += fresh;
      b += fresh;
      cycles[version] = time_loads(unit, a, b, fresh, loops);
      a += loops * fresh;
      b += loops * fresh;
    }
  }
  return {cycles[1] - cycles[0], arguments.loops};
}

Result measure_matrix(const volatile Arguments& arguments) {
  const Unit unit(arguments.registers);
  configure(unit, arguments);
  for (unsigned slot = 0; slot < 2; ++slot) {
    set_loop(unit, arguments);
    unit.command(MATRIX_UNIT_LOOP_WS, 0, 0, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  }
  unit.wait();
  unsigned cycles[2];
  for (unsigned pass = 0; pass < 2; ++pass)
    for (unsigned version = 0; version < 2; ++version)
      cycles[version] = time_loops(unit, version == 0 ? kShort : kShort + arguments.loops);
  return {cycles[1] - cycles[0], arguments.loops};
}
