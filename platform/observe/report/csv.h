// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::report {

/// Text as one field of a CSV file: in quotes, quotes in it doubled.
std::string csv_quoted(const std::string& text);

}  // namespace spica::report
