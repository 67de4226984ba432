// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"

namespace spica::check {

/// Finds in the code which loads bring a register back from where the compiler keeps it. Code for diverging lanes goes
/// around loops with values that have none yet in the first round, and saves and reads them like others: nothing uses
/// what such a load brings. No variable of the source is there: its function stores and reads the word by the stack
/// pointer only, and below all whose addresses it takes.
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
