// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/matrix_unit_rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "models/matrix_unit/matrix_unit_regs.h"

namespace spica::matrix_unit {

namespace {

class MatrixUnitRules final : public protocol::UnitRules {
 public:
  std::string_view title() const override { return "matrix unit"; }
  std::string_view wait() const override { return "matrix_unit_fence"; }
  std::string_view configure() const override { return "matrix_unit_config_load"; }
  std::string_view configured() const override { return "row length, scale"; }
  std::string_view command_register() const override { return "CSR 0xACC"; }

  Register register_at(std::uint32_t offset) const override {
    switch (offset) {
      case MATRIX_UNIT_BUSY: return Register::kBusy;
      case MATRIX_UNIT_LOOPS: return Register::kLoops;
      case MATRIX_UNIT_INSTRUCTION: return Register::kCommand;
      case MATRIX_UNIT_RS1_LO: return Register::kOperand;
      default: return Register::kOther;
    }
  }

  /// A RoCC instruction in the first word, operands, and nothing else.
  bool holds_commands(const std::vector<unsigned char>& bytes) const override {
    constexpr unsigned kOpcodeMask = 0x7F;
    const auto behind =
        bytes.begin() + std::min<std::ptrdiff_t>(MATRIX_UNIT_BUSY, std::distance(bytes.begin(), bytes.end()));
    return (bytes.front() & kOpcodeMask) == (MATRIX_UNIT_INSTRUCTION_BASE & kOpcodeMask) &&
           std::all_of(behind, bytes.end(), [](unsigned char byte) { return byte == 0; });
  }

  unsigned unit_of(std::uint32_t word) const override {
    return word >> MATRIX_UNIT_CISC_UNIT_SHIFT & MATRIX_UNIT_CISC_UNIT_MASK;
  }
  /// Two loops, and a third command waits in front of them.
  unsigned kept_commands() const override { return 3; }
  bool configures_loads(std::uint32_t word) const override {
    return (word & MATRIX_UNIT_CISC_OPCODE_MASK) == MATRIX_UNIT_Q_CONFIG;
  }
  bool configures_loads(std::uint32_t value, std::uint32_t operand) const override {
    return (value >> MATRIX_UNIT_FUNCTION_SHIFT & MATRIX_UNIT_FUNCTION_MASK) == MATRIX_UNIT_CONFIG &&
           (operand & MATRIX_UNIT_CONFIG_KIND_MASK) == MATRIX_UNIT_CONFIG_LOAD;
  }

  /// See LoopUnroller (gemmini LoopMatmul.scala, ReservationStation.scala). Commands without a loop wait until older
  /// ones have issued everything, and everything waits for them. Of loops there are two at a time. In one loop,
  /// computing follows the loads and stores follow computing. Between neighbours, computing and storing wait for each
  /// other, loads of operands for nothing. Parts that were issued when the younger command was given also count.
  bool in_order(const Part& one, const Part& other) const override {
    const bool neighbours =
        one.loop != 0 && other.loop != 0 && (one.loop == other.loop + 1 || other.loop == one.loop + 1);
    const bool issued =
        one.loop > other.loop ? one.issued_loops >= other.loop : other.issued_loops >= one.loop;
    return !neighbours || issued || (!one.loads && !other.loads);
  }
};

}  // namespace

const protocol::UnitRules& matrix_unit_rules() {
  static const MatrixUnitRules rules;
  return rules;
}

}  // namespace spica::matrix_unit
