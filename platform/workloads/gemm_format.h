// SPDX-License-Identifier: Apache-2.0
// A matrix product in a number format other than that of the design's file (spica gemm --format).
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// The formats in which a design can compute on a machine, by key, including block-scaled ones: those of its unit that
/// fill the kernel's words. For lanes, only the format of the file.
std::vector<std::string> formats_of(const GemmDesign& design, const soc::SocParams& machine);

/// The design with operands in this format and the result format of the unit. `overrides` receives the parameters that
/// configure the machine's units. Throws UserError with the supported formats.
GemmDesign in_format(GemmDesign design, const std::string& key, const soc::SocParams& machine,
                     std::vector<std::string>& overrides);

}  // namespace spica::workloads
