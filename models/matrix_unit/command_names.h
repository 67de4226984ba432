// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The name of a word of CSR 0xACC, such as "load A to Q0, B to Q2". Q: quarters, H: sixteenths of shared memory.
std::string cisc_name(CommandSet set, std::uint32_t word);
/// Gemmini's name of a function that a store to the MMIO block launches, such as "mvin" or "loop_ws".
std::string rocc_name(std::uint32_t function);

}  // namespace spica::matrix_unit
