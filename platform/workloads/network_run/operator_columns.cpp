// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/operator_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "platform/observe/report/csv.h"
#include "platform/observe/report/record_table.h"

namespace spica::network {

namespace {

namespace shown = report::shown;

std::string error(const json::Value& value) { return fmt::format("{:.2g}", value.get<double>()); }

struct Column : report::RecordColumn {
  const char* name;  // in the file

  /// `title`: in the table; nullptr: only in the file.
  constexpr Column(const char* name, const char* place, const char* title, decltype(show) show = shown::name)
      : RecordColumn{place, title, show}, name(name) {}
};

constexpr Column kColumns[] = {{"operator", "/name", "operator"},
                               {"type", "/type", "type"},
                               {"extents", "/extents", nullptr},
                               {"design", "/design", nullptr},
                               {"kernel", "/kernel", "kernel"},
                               {"format", "/format", nullptr},
                               {"state", "/state", nullptr},
                               {"launches", "/launches", nullptr},
                               {"begin", "/begin", nullptr},
                               {"end", "/end", nullptr},
                               {"cycles", "/cycles", "cycles", shown::count},
                               {"share", "/share", "share", shown::percent},
                               {"multiply_adds", "/multiply_adds", nullptr},
                               {"lane_utilisation", "/lane_utilisation", nullptr},
                               {"l1_bytes", "/bytes/l1", nullptr},
                               {"shared_bytes", "/bytes/shared", nullptr},
                               {"l2_bytes", "/bytes/l2", nullptr},
                               {"dram_bytes", "/bytes/dram", "DRAM", shown::bytes},
                               {"energy_uj", "/energy_uj/total", "uJ", shown::number},
                               {"error", "/difference/error", "error", error},
                               {"allowed", "/difference/allowed", "allowed", error},
                               {"limiter", "/limiter", "limiter"}};

}  // namespace

std::string operator_table(const json::Value& records, const std::vector<json::Value>& more, bool is_fast) {
  std::vector<report::RecordColumn> columns;
  for (const Column& column : kColumns)
    if (column.title != nullptr) columns.push_back(column);
  for (report::RecordColumn& column : columns)
    if (is_fast && std::string_view(column.title) == "cycles") column.title = "estimated cycles";
  std::vector<json::Value> all(records.begin(), records.end());
  all.insert(all.end(), more.begin(), more.end());
  return report::record_table(columns, all, 2);
}

std::string operators_csv(const json::Value& records) {
  std::vector<std::string> cells;
  for (const Column& column : kColumns) cells.emplace_back(column.name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const json::Value& record : records) {
    cells.clear();
    for (const Column& column : kColumns) {
      const json::Value value = report::value_of(column, record);
      cells.push_back(value.is_null()     ? ""
                      : value.is_string() ? report::csv_quoted(shown::name(value))
                                          : value.dump());
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace spica::network
