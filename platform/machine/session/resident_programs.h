// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/isa/stacks.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/soc/machine.h"

namespace spica::session {

/// Several programs in the memory of one machine, each at its own addresses. Programs come and go while the
/// machine runs.
class ResidentPrograms {
 public:
  /// `free`: where programs may be.
  ResidentPrograms(soc::Machine& machine, loader::MemoryRange free)
      : machine_(machine), free_(std::move(free)) {}

  /// Loads a program into memory, zeros included; it must outlive its stay. Throws UserError, and changes
  /// nothing: outside of free memory, overlaps another program, or has its stacks elsewhere than the others.
  void add(const loader::Program& program);
  void remove(const loader::Program& program);
  const std::vector<const loader::Program*>& all() const { return programs_; }

 private:
  std::optional<isa::StackGuard> common_guard(const loader::Program& program) const;

  soc::Machine& machine_;
  const loader::MemoryRange free_;
  std::vector<const loader::Program*> programs_;
  std::optional<isa::StackGuard> guard_;  // of all programs with known stacks so far
};

}  // namespace spica::session
