// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/expression.h"

namespace spica::sweep {

/// Rows of results.sqlite, with some or all columns.
struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<config::Operand>> rows;

  /// The index of a column. Throws UserError with the existing names.
  std::size_t column(const std::string& name) const;
  bool has(const std::string& name) const;
};

/// All rows of `folder`/results.sqlite in the order of points. `only`: these columns, unless one of them is missing;
/// empty: all. `also`: additional columns, if present. Throws UserError if there is no such file.
Rows read_rows(const std::filesystem::path& folder, const std::vector<std::string>& only = {},
               const std::vector<std::string>& also = {});

/// As in results.csv; empty becomes "".
std::string text_of(const config::Operand& value);
/// NaN if it is not a number.
double number_of(const config::Operand& value);

}  // namespace spica::sweep
