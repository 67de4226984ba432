// SPDX-License-Identifier: Apache-2.0
// The reports of a matrix unit, in both modes.
#pragma once

#include <string>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/protocol/ports/fault_if.h"

namespace spica::matrix_unit {

/// An invalid command.
protocol::GuestFault bad_command(const MatrixUnitParams& params, base::Cycle cycle, const Origin& origin,
                                 const std::string& detail);
/// A word of CSR 0xACC that names a unit that does not exist.
protocol::GuestFault no_such_unit(std::uint32_t word, std::size_t units, base::Cycle cycle,
                                  const Origin& origin);
/// A warning: a word was lost because another one won its cycle. `same_instruction`: both come from one instruction,
/// executed by more lanes than one command needs.
protocol::GuestFault word_lost(unsigned unit, std::uint32_t word, bool same_instruction, base::Cycle cycle,
                               const Origin& origin);
/// A warning: a word arrived while another one was being expanded and the queue was full.
protocol::GuestFault lost_in_expansion(const MatrixUnitParams& params, base::Cycle cycle,
                                       const Origin& origin, std::uint32_t word);
/// A load or store that left memory.
protocol::GuestFault left_memory(const MatrixUnitParams& params, base::Cycle cycle,
                                 const UnitCommand& command);
/// Detail of a bad command: an unknown opcode in CSR 0xACC.
std::string unknown_word(std::uint32_t word, const MatrixUnitParams& params);

}  // namespace spica::matrix_unit
