// SPDX-License-Identifier: Apache-2.0
// A and B in another form in memory than the unit takes: the DMA converts, scales and transposes as it loads
// (spica gemm --a-format, --a-transposed).
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// The note in a kernel that can be compiled for it.
inline constexpr const char* kReshapedNote = "gemm.reshaped";

/// The formats in which A and B of a design may lie in memory, by key.
std::vector<std::string> stored_formats(const GemmDesign& design, bool transposed);

/// The design whose operands lie in memory so, by key of a format (empty: as the unit takes them) and transposed or
/// not; `overrides` gets what makes the machine's DMA such, if it is not. Throws UserError, with what works.
struct OperandForm {
  std::string format;
  bool transposed = false;
  bool given() const { return transposed || !format.empty(); }
};
GemmDesign loaded_from(GemmDesign design, const OperandForm& a, const OperandForm& b,
                       const soc::SocParams& machine, std::vector<std::string>& overrides);

/// An operand on its way from memory to the unit.
struct LoadedValues {
  std::vector<float> stored;  // numbers in memory, and
  float scale = 1;  // what the DMA multiplies them with
  std::vector<float> loaded;  // what the unit gets
  double step = 1;  // what 1 of that means
  std::uint64_t beyond = 0;  // numbers beyond the largest of a format, which they became
};
/// `values` in the format `stored` of memory, with a scale for all of them if it is one of integers, or of 8 bits or
/// less and `scaled`, and what the DMA makes of them for the unit, `loaded`: the values themselves, or, where that has
/// a scale, these over it.
LoadedValues load_values(const std::vector<float>& values, Element stored, Element loaded, bool scaled);

}  // namespace spica::workloads
