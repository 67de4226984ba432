// SPDX-License-Identifier: Apache-2.0
// A matrix product in another number format than that of the design's file (spica gemm --format).
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// The formats in which a design computes on a machine, by key, block-scaled ones among them: those of its unit's table
/// that fill the words which the kernel moves. On lanes that of the file.
std::vector<std::string> formats_of(const GemmDesign& design, const soc::SocParams& machine);

/// The design with operands of a format and results of that of the unit; `overrides` gets what makes the machine's
/// units such. Throws UserError, with the formats that work.
GemmDesign in_format(GemmDesign design, const std::string& key, const soc::SocParams& machine,
                     std::vector<std::string>& overrides);

}  // namespace spica::workloads
