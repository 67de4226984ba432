// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"

namespace spica::check {

/// Finds loads that restore a register from a spill slot. Code for diverging lanes saves and restores values that are
/// still undefined in the first round of a loop; nothing uses them. A spill slot is not a variable of the source: its
/// function accesses the word only through the stack pointer, and below all variables whose address it takes.
class SpillSlots {
 public:
  SpillSlots(const loader::Program& program, const loader::SourceMap& sources)
      : program_(program), sources_(sources) {}

  bool has(std::uint32_t pc);

 private:
  bool find(std::uint32_t pc) const;

  const loader::Program& program_;
  const loader::SourceMap& sources_;
  std::map<std::uint32_t, bool> known_;  // by pc
};

}  // namespace spica::check
