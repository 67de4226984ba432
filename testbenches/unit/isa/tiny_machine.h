// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/execute.h"
#include "models/protocol/payload/reservations.h"

namespace spica::isa::test {

/// The least machine that runs a program with models/isa: one warp whose active lanes all do the
/// same, one segment of memory, no time. It stops at the first ecall.
class TinyMachine {
 public:
  /// `memory` begins at address `base`; all lanes of `mask` run from `entry`.
  TinyMachine(std::vector<std::uint8_t> memory, std::uint32_t base, std::uint32_t entry, std::uint32_t mask);

  /// Runs to the ecall. False when a word is illegal, an address is out of memory or the lanes
  /// disagree.
  bool run();

  const std::vector<std::uint8_t>& memory() const { return memory_; }
  std::uint32_t pc() const { return pc_; }
  std::uint64_t executed() const { return executed_; }

 private:
  bool step(const Instruction& in);
  bool access(const Instruction& in);
  void csr(const Instruction& in);
  std::uint32_t operand(std::uint8_t row) const {
    return row == kNoRegister ? 0 : registers_.row(row)[lane_];
  }
  void write(std::uint8_t row, std::uint32_t value);
  bool lanes_agree(const Instruction& in) const;

  std::vector<std::uint8_t> memory_;
  std::uint32_t base_, pc_, mask_;
  unsigned lane_;
  RegisterFile registers_{8};
  FloatState state_;
  protocol::Reservations reservations_;
  std::uint64_t executed_ = 0;
};

}  // namespace spica::isa::test
