// SPDX-License-Identifier: Apache-2.0
// A matrix product in another number format than that of the design's file (spica gemm --format).
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// The formats in which a design computes. On a matrix unit all of its table that fill a word of the design's kernel,
/// which only moves words; else that of the file.
std::vector<Element> formats_of(const GemmDesign& design);

/// The design with operands of a format, results of that of the unit, and elements packed into words; `overrides` gets
/// what makes its matrix units such. Throws UserError, with the formats that work.
GemmDesign in_format(GemmDesign design, const std::string& key, std::vector<std::string>& overrides);

}  // namespace spica::workloads
