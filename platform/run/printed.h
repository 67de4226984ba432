// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::job {

struct RunFacts;
struct RunFigures;

/// An object with the numbers that a program prints on separate lines as "name: number". Names consist of lower-case
/// letters, digits and underscores.
json::Value printed_numbers(const std::string& console);

/// {count, min, median, p90, max, histogram}. The histogram has pairs of a lower bound and a count; bounds are eighths
/// of powers of two apart. Without samples: {count: 0}.
json::Value sample_statistics(std::vector<std::uint32_t> samples);

/// The place of samples that a program leaves (32-bit numbers), and their maximum number: ADDRESS+COUNT.
struct SampleRange {
  std::uint64_t address = 0, most = 0;
};
/// Throws UserError.
SampleRange parse_samples(const std::string& text);

/// The figures of a run that need no workload: what the program says of itself, and the share of multiply-adds of the units
/// that did the most of them.
RunFigures own_figures(const RunFacts& run);

}  // namespace spica::job
