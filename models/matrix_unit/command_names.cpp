// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/command_names.h"

#include <fmt/format.h>

#include "models/matrix_unit/matrix_unit_regs.h"

namespace spica::matrix_unit {

namespace {

std::string unknown(std::uint32_t opcode) { return fmt::format("unknown opcode {}", opcode); }

std::string quartile_name(std::uint32_t opcode) {
  switch (opcode) {
    case MATRIX_UNIT_Q_COMPUTE_0: return "compute Q0 x Q2";
    case MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE: return "compute Q0 x Q2, accumulate";
    case MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE: return "compute Q1 x Q3, accumulate";
    case MATRIX_UNIT_Q_COMPUTE_1: return "compute Q1 x Q3";
    case MATRIX_UNIT_Q_STRIDE_AB: return "strides of A, B";
    case MATRIX_UNIT_Q_STORE_SPAD: return "store C to shared memory";
    case MATRIX_UNIT_Q_LOAD_0: return "load A to Q0, B to Q2";
    case MATRIX_UNIT_Q_LOAD_1: return "load A to Q1, B to Q3";
    case MATRIX_UNIT_Q_LOAD_00: return "load A to Q0, B to Q0";
    case MATRIX_UNIT_Q_LOAD_22: return "load A to Q2, B to Q2";
    case MATRIX_UNIT_Q_CONFIG: return "configure";
    default: return unknown(opcode);
  }
}

std::string hexadecile_name(std::uint32_t word) {
  const std::uint32_t a = word >> MATRIX_UNIT_H_A_SHIFT & MATRIX_UNIT_H_MASK;
  const std::uint32_t b = word >> MATRIX_UNIT_H_B_SHIFT & MATRIX_UNIT_H_MASK;
  const std::uint32_t d = word >> MATRIX_UNIT_H_D_SHIFT & MATRIX_UNIT_H_MASK;
  switch (word & MATRIX_UNIT_CISC_OPCODE_MASK) {
    case MATRIX_UNIT_H_COMPUTE:
      return fmt::format("compute H{} x H{}{}", a, b,
                         (word & MATRIX_UNIT_H_ACCUMULATE) != 0 ? ", accumulate" : "");
    case MATRIX_UNIT_H_COMPUTE_STORE_SPAD: return fmt::format("compute H{} x H{}, store C to H{}", a, b, d);
    case MATRIX_UNIT_H_COUNT_LOOP: return "count a loop";
    case MATRIX_UNIT_H_STRIDE_AB: return "strides of A, B";
    case MATRIX_UNIT_H_STORE_SPAD: return fmt::format("store C to H{}", a);
    case MATRIX_UNIT_H_LOAD: return fmt::format("load A to H{}, B to H{}", a, b);
    case MATRIX_UNIT_H_STRIDE_DC: return "strides of D, C";
    case MATRIX_UNIT_H_STORE_GMEM: return "store C to global memory";
    case MATRIX_UNIT_H_CONFIG: return "configure";
    default: return unknown(word & MATRIX_UNIT_CISC_OPCODE_MASK);
  }
}

}  // namespace

std::string cisc_name(CommandSet set, std::uint32_t word) {
  return set == CommandSet::kHexadecile ? hexadecile_name(word)
                                        : quartile_name(word & MATRIX_UNIT_CISC_OPCODE_MASK);
}

std::string rocc_name(std::uint32_t function) {
  switch (function) {
    case MATRIX_UNIT_CONFIG: return "config";
    case MATRIX_UNIT_MVIN2: return "mvin2";
    case MATRIX_UNIT_MVIN: return "mvin";
    case MATRIX_UNIT_MVOUT: return "mvout";
    case MATRIX_UNIT_COMPUTE_FLIP: return "compute_preloaded";
    case MATRIX_UNIT_COMPUTE_STAY: return "compute_accumulated";
    case MATRIX_UNIT_PRELOAD: return "preload";
    case MATRIX_UNIT_FLUSH: return "flush";
    case MATRIX_UNIT_LOOP_WS: return "loop_ws";
    case MATRIX_UNIT_LOOP_BOUNDS: return "loop_ws_config_bounds";
    case MATRIX_UNIT_LOOP_ADDRESS_AB: return "loop_ws_config_addrs_ab";
    case MATRIX_UNIT_LOOP_ADDRESS_DC: return "loop_ws_config_addrs_dc";
    case MATRIX_UNIT_LOOP_STRIDE_AB: return "loop_ws_config_strides_ab";
    case MATRIX_UNIT_LOOP_STRIDE_DC: return "loop_ws_config_strides_dc";
    case MATRIX_UNIT_MVIN3: return "mvin3";
    case MATRIX_UNIT_MVOUT_SPAD: return "mvout_spad";
    case MATRIX_UNIT_LOOP_SPAD_AB: return "loop_ws_config_spad_ab";
    case MATRIX_UNIT_LOOP_SPAD_C: return "loop_ws_config_spad_c";
    default: return fmt::format("unknown function {}", function);
  }
}

}  // namespace spica::matrix_unit
