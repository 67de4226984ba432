// SPDX-License-Identifier: Apache-2.0
// NaN, infinities and numbers beyond a format; for the rules see docs/howto/number-formats.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Throws UserError, with the place in `file`, if a matrix of `columns` columns has NaN or infinities that the format
/// lacks.
void check_special_values(const std::string& file, const std::vector<float>& values, std::uint32_t columns,
                          Element format);
/// The number of finite values that, divided by `scale`, saturate in the format.
std::uint64_t count_beyond(const std::vector<float>& values, Element format, double scale);

/// The special elements of a result.
struct SpecialCount {
  std::uint64_t infinite = 0, nan = 0;
};
SpecialCount count_special(const std::vector<float>& values);
/// "3 elements are infinite, 1 is NaN"; empty if there are none.
std::string special_text(const SpecialCount& count);

}  // namespace spica::workloads
