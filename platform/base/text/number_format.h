// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::text {

/// Three significant digits and a decimal prefix: "42", "1.24 M", "310 k", "0.25". Negative values
/// too.
std::string scaled(double value);

/// The same with a unit after the prefix: "3.2 Mcycles/s", "12 cycles/s".
std::string scaled(double value, const std::string& unit);

/// All digits, in groups of three: "1,234,567".
std::string grouped(std::uint64_t value);

/// A ratio 0..1 with one digit: "42.0 %". Anything above 0 and below 0.05 % is "<0.1 %".
std::string percent(double ratio);

}  // namespace spica::text
