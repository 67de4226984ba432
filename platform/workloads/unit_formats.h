// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/machine/soc/soc_params.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// A unit of a machine with formats that it multiplies; tensor cores with fragments have several.
struct UnitFormat {
  std::string key;  // of the unit in configurations
  ComputeUnit unit;
  unsigned number;  // of the matrix unit
  Element operand, result;
  numeric::ScaleFormat scale = numeric::ScaleFormat::kNone;
};
/// All tensor cores and matrix units in the formats for which they are built and have a rule of sums (gemm_design.cpp).
std::vector<UnitFormat> unit_formats(const soc::SocParams& params);

}  // namespace spica::workloads
