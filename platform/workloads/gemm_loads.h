// SPDX-License-Identifier: Apache-2.0
// A and B with a form in memory that differs from the unit's: the DMA converts, scales and transposes during loads
// (spica gemm --a-format, --a-transposed).
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// The note in a kernel that can be compiled for this.
inline constexpr const char* kReshapedNote = "gemm.reshaped";

/// The possible formats of A and B in memory for a design, by key.
std::vector<std::string> stored_formats(const GemmDesign& design, bool transposed);

/// The design with this form of operands in memory: key of a format (empty: the unit's), transposed or not. `overrides`
/// receives the parameters that configure the machine's DMA, if necessary. Throws UserError with the supported forms.
struct OperandForm {
  std::string format;
  bool transposed = false;
  bool given() const { return transposed || !format.empty(); }
};
GemmDesign loaded_from(GemmDesign design, const OperandForm& a, const OperandForm& b,
                       const soc::SocParams& machine, std::vector<std::string>& overrides);

/// An operand on its way from memory to the unit.
struct LoadedValues {
  std::vector<float> stored;  // numbers in memory
  float scale = 1;  // factor applied by the DMA
  std::vector<float> loaded;  // numbers received by the unit
  double step = 1;  // value of 1 in these numbers
  std::uint64_t beyond = 0;  // numbers that saturated
};
/// Converts `values` to the format `stored` of memory, with one scale if it is an integer format, or has 8 bits or less
/// and `scaled` is set; then to the unit's format `loaded`, as the DMA does: unscaled, or divided by the scale of that
/// format, if it has one.
LoadedValues load_values(const std::vector<float>& values, Element stored, Element loaded, bool scaled);

}  // namespace spica::workloads
