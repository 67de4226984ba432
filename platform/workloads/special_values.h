// SPDX-License-Identifier: Apache-2.0
// NaN, infinities and numbers beyond a format: docs/howto/number-formats.md has the rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Throws UserError, with the place in `file`, when a matrix of `columns` columns has NaN or infinities that the format
/// lacks.
void check_special_values(const std::string& file, const std::vector<float>& values, std::uint32_t columns,
                          Element format);
/// How many finite values over `scale` are beyond the largest number of the format, which they become.
std::uint64_t count_beyond(const std::vector<float>& values, Element format, double scale);

/// Elements of a result.
struct SpecialCount {
  std::uint64_t infinite = 0, nan = 0;
};
SpecialCount count_special(const std::vector<float>& values);
/// "3 elements are infinite, 1 is NaN"; empty when there are none.
std::string special_text(const SpecialCount& count);

}  // namespace spica::workloads
