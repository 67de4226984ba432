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

protocol::GuestFault no_such_unit(std::uint32_t word, std::size_t units, base::Cycle cycle,
                                  const Origin& origin) {
  return fault(
      cycle, origin,
      fmt::format("CSR 0xACC: bits 7:5 of the word 0x{:08x} name matrix unit {}; the cluster has {}", word,
                  unit_of(word), units == 1 ? "only unit 0" : fmt::format("units 0 to {}", units - 1)));
}

protocol::GuestFault word_lost(unsigned unit, std::uint32_t word, bool same_instruction, base::Cycle cycle,
                               const Origin& origin) {
  protocol::GuestFault report = fault(
      cycle, origin,
      same_instruction
          ? fmt::format(
                "matrix unit {}: command 0x{:08x} lost: an instruction that writes CSR 0xACC with many lanes "
                "sends a command for each group of cluster.core.sfu_lanes lanes, and the unit takes the first; "
                "let one lane write it",
                unit, word)
          : fmt::format(
                "matrix unit {}: command 0x{:08x} lost: a lower-numbered core wrote CSR 0xACC in the same cycle",
                unit, word));
  report.kind = protocol::FaultKind::kCommandLost;
  report.severity = protocol::Severity::kWarning;
  return report;
}

protocol::GuestFault lost_in_expansion(const MatrixUnitParams& params, base::Cycle cycle,
                                       const Origin& origin, std::uint32_t word) {
  protocol::GuestFault report = fault(
      cycle, origin,
      fmt::format("matrix unit {}: command 0x{:08x} arrived while another was being expanded and {}",
                  params.unit, word, params.command_queue == 0 ? "there is no queue" : "the queue was full"));
  report.kind = protocol::FaultKind::kCommandLost;
  report.severity = protocol::Severity::kWarning;
  return report;
}

std::string unknown_word(std::uint32_t word, const MatrixUnitParams& params) {
  return fmt::format("CSR 0xACC: opcode {} is not in the {} command set", word & MATRIX_UNIT_CISC_OPCODE_MASK,
                     kCommandSets.name_of(params.command_set));
}

protocol::GuestFault left_memory(const MatrixUnitParams& params, base::Cycle cycle,
                                 const UnitCommand& command) {
  protocol::GuestFault report = fault(
      cycle, command.origin,
      fmt::format(
          "matrix unit {}: a {} of {} rows of {} bytes starting at this address, {} bytes apart, reaches an unmapped address",
          params.unit, command.command_class() == CommandClass::kLoad ? "load" : "store", command.move.rows,
          command.move.block_bytes, command.move.global_stride));
  report.kind = protocol::FaultKind::kUnitAccess;
  report.has_address = true;
  report.address = command.move.global_address;
  return report;
}

}  // namespace spica::matrix_unit
