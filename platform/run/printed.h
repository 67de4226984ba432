// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::job {

/// Object of the numbers that a program prints on separate lines, "name: number". Names have lower-case letters, digits
/// and underscores.
json::Value printed_numbers(const std::string& console);

/// {count, min, median, p90, max, histogram}. The histogram has pairs of a value from which on and how many, in steps
/// of an eighth of the power of two. Without a sample: {count: 0}.
json::Value sample_statistics(std::vector<std::uint32_t> samples);

/// Where a program leaves samples, numbers of 32 bits, and how many there can be: ADDRESS+COUNT.
struct SampleRange {
  std::uint64_t address = 0, most = 0;
};
/// Throws UserError.
SampleRange parse_samples(const std::string& text);

}  // namespace spica::job
