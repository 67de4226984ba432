// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "models/base/suggest.h"
#include "platform/base/input/user_error.h"
#include "platform/studies/sweep/collect.h"
#include "platform/studies/sweep/database.h"

namespace spica::sweep {

bool Rows::has(const std::string& name) const {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::size_t Rows::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  throw input::UserError(fmt::format("\"{}\" is not a column of the results{}; columns: {}", name,
                                     base::did_you_mean(name, columns), fmt::join(columns, ", ")));
}

Rows read_rows(const std::filesystem::path& folder, const std::vector<std::string>& only,
               const std::vector<std::string>& also) {
  const std::filesystem::path file = folder / "results.sqlite";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    throw input::UserError(fmt::format(
        "{} has no results.sqlite: spica sweep run creates it, as does spica sweep collect from existing records",
        folder.string()));
  Database database(file.string(), Database::Access::kRead);
  Rows result;
  Database::Statement names(database, "SELECT name FROM pragma_table_info('points') ORDER BY cid");
  while (names.step()) result.columns.push_back(text_of(names.column(0)));
  if (!only.empty() &&
      std::all_of(only.begin(), only.end(), [&](const std::string& name) { return result.has(name); })) {
    std::vector<std::string> columns;  // in the order of the file
    for (const std::string& name : result.columns)
      if (std::find(only.begin(), only.end(), name) != only.end() ||
          std::find(also.begin(), also.end(), name) != also.end())
        columns.push_back(name);
    result.columns = std::move(columns);
  }
  std::string selected;
  for (const std::string& name : result.columns) selected += (selected.empty() ? "" : ", ") + sql_name(name);
  Database::Statement rows(database, "SELECT " + selected + " FROM points ORDER BY point");
  while (rows.step()) {
    std::vector<config::Operand>& row = result.rows.emplace_back();
    row.reserve(result.columns.size());
    for (std::size_t i = 0; i < result.columns.size(); ++i) row.push_back(rows.column(static_cast<int>(i)));
  }
  return result;
}

std::string text_of(const config::Operand& value) {
  if (const double* number = std::get_if<double>(&value)) return config::number_text(*number);
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

double number_of(const config::Operand& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace spica::sweep
