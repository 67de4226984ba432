// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::report {

/// Text as a field of a CSV file: quoted, with quotes doubled.
std::string csv_quoted(const std::string& text);

}  // namespace spica::report
