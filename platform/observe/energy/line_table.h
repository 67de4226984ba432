// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/energy/energy_report.h"

namespace spica::energy {

/// The costs of a source line, or of an instruction.
struct LineEnergy {
  std::optional<std::uint32_t> pc;  // for a single instruction
  std::string function, file;       // "" if unknown
  unsigned line = 0;                // 0: unknown
  std::string text;                 // for a single instruction: its disassembly
  protocol::LineRow activity;
  power::Interval active_pj;

  /// Issue cycles of all cores charged to it, issuing or waiting.
  std::uint64_t cycles() const;
};

/// The instructions of a report with their places in the program, and summed by line. Costs without an instruction (no
/// warp runs) are in the line without function, file and number.
class LineTable {
 public:
  LineTable(const EnergyReport& report, const loader::SourceMap& sources, const loader::Program& program);

  /// By address.
  const std::vector<LineEnergy>& instructions() const { return instructions_; }
  /// By function in the order of addresses, then file and line.
  const std::vector<LineEnergy>& lines() const { return lines_; }

 private:
  std::vector<LineEnergy> instructions_, lines_;
};

}  // namespace spica::energy
