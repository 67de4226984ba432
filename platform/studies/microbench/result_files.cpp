// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/microbench/result_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/observe/report/csv.h"
#include "platform/observe/report/statistics.h"

namespace spica::microbench {

std::string results_csv(const std::vector<MicrobenchResult>& results) {
  std::string text =
      "group,measurement,machine,measured,unit,formula_value,difference,tolerance,judged,flagged,expected_"
      "low,"
      "expected_high,formula,error\n";
  for (const MicrobenchResult& r : results) {
    const auto& range = r.row.expected;
    text += fmt::format("{},{},{},{:.6f},{},{:.6f},{:.6f},{:g},{},{},{},{},{},{}\n", r.group,
                        report::csv_quoted(r.row.name), r.machine, r.measured, r.row.unit,
                        r.row.formula.value, r.difference(), r.row.tolerance, r.row.judged, r.flagged(),
                        range ? fmt::format("{:g}", range->low) : "",
                        range ? fmt::format("{:g}", range->high) : "", report::csv_quoted(r.row.formula.text),
                        report::csv_quoted(r.error));
  }
  return text;
}

std::string results_json(const std::vector<MicrobenchResult>& results, const MicrobenchOptions& options) {
  json::Value document;
  document["config"] = options.config;
  document["overrides"] = options.overrides;
  auto& rows = document["rows"] = json::Value::array();
  for (const MicrobenchResult& r : results) {
    json::Value row;
    row["group"] = r.group;
    row["measurement"] = r.row.name;
    row["machine"] = r.machine;
    row["measured"] = r.measured;
    row["unit"] = r.row.unit;
    row["formula_value"] = r.row.formula.value;
    row["formula"] = r.row.formula.text;
    row["difference"] = r.difference();
    row["tolerance"] = r.row.tolerance;
    row["judged"] = r.row.judged;
    row["flagged"] = r.flagged();
    if (r.row.expected) row["expected"] = {r.row.expected->low, r.row.expected->high};
    if (r.row.expected) row["outside_expected"] = r.unexpected();
    if (!r.error.empty()) row["error"] = r.error;
    rows.push_back(std::move(row));
  }
  return report::printable_json(document).dump(2) + "\n";
}

}  // namespace spica::microbench
