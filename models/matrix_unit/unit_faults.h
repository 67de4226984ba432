// SPDX-License-Identifier: Apache-2.0
// What a matrix unit reports, in both modes.
#pragma once

#include <string>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/protocol/fault_if.h"

namespace spica::matrix_unit {

/// A command that makes no sense.
protocol::GuestFault bad_command(const MatrixUnitParams& params, base::Cycle cycle, const Origin& origin,
                                 const std::string& detail);
/// A word of CSR 0xACC that names a unit there is not.
protocol::GuestFault no_such_unit(std::uint32_t word, std::size_t units, base::Cycle cycle, const Origin& origin);
/// A warning: a word that lost against another one in its cycle.
protocol::GuestFault word_lost(unsigned unit, std::uint32_t word, base::Cycle cycle, const Origin& origin);
/// Details of bad commands: an unknown opcode in CSR 0xACC; a load or store that left memory.
std::string unknown_word(std::uint32_t word, const MatrixUnitParams& params);
std::string left_memory(const UnitCommand& command);

}  // namespace spica::matrix_unit
