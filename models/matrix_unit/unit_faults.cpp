// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/unit_faults.h"

#include <fmt/format.h>

namespace spica::matrix_unit {

namespace {

protocol::GuestFault fault(base::Cycle cycle, const Origin& origin, std::string detail) {
  protocol::GuestFault report{};
  report.kind = protocol::FaultKind::kBadMatrixCommand;
  report.severity = protocol::Severity::kFault;
  report.cycle = cycle;
  report.origin = origin;
  report.detail = std::move(detail);
  return report;
}

}  // namespace

protocol::GuestFault bad_command(const MatrixUnitParams& params, base::Cycle cycle, const Origin& origin,
                                 const std::string& detail) {
  return fault(cycle, origin, fmt::format("matrix unit {}: {}", params.unit, detail));
}

protocol::GuestFault no_such_unit(std::uint32_t word, std::size_t units, base::Cycle cycle, const Origin& origin) {
  return fault(cycle, origin,
               fmt::format("CSR 0xACC: word 0x{:08x} names matrix unit {}, but there are {}", word,
                           word >> MATRIX_UNIT_CISC_UNIT_SHIFT & MATRIX_UNIT_CISC_UNIT_MASK, units));
}

protocol::GuestFault word_lost(unsigned unit, std::uint32_t word, base::Cycle cycle, const Origin& origin) {
  protocol::GuestFault report = fault(
      cycle, origin,
      fmt::format("matrix unit {}: command 0x{:08x} lost, a lower-numbered core wrote CSR 0xACC in the same "
                  "cycle",
                  unit, word));
  report.kind = protocol::FaultKind::kCommandLost;
  report.severity = protocol::Severity::kWarning;
  return report;
}

std::string unknown_word(std::uint32_t word, const MatrixUnitParams& params) {
  return fmt::format("CSR 0xACC: opcode {} is not in the {} command set", word & MATRIX_UNIT_CISC_OPCODE_MASK,
                     kCommandSets.name_of(params.command_set));
}

std::string left_memory(const UnitCommand& command) {
  return fmt::format("a {} of {} rows from 0x{:08x} met an address that does not exist",
                     command.command_class() == CommandClass::kLoad ? "load" : "store", command.move.rows,
                     command.move.global_address);
}

}  // namespace spica::matrix_unit
