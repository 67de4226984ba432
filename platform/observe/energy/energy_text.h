// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

namespace spica::energy {

class EnergyReport;
class LineTable;

/// Part of a run's summary: energy, power and their breakdown. `multiply_adds`: of the program, if known.
void print_energy(std::ostream& out, const EnergyReport& report, std::optional<std::uint64_t> multiply_adds);

struct AnnotateOptions {
  bool disassembly = false;        // one row per instruction
  std::size_t top = 0;             // number of most expensive rows; 0: all
  std::filesystem::path root;      // where the program's sources are searched
};

/// The program with cycles, stalls and energy next to each line.
void print_annotated(std::ostream& out, const EnergyReport& report, const LineTable& table,
                     const AnnotateOptions& options);

}  // namespace spica::energy
