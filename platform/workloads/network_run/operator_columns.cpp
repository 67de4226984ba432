// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/operator_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/csv.h"
#include "platform/observe/report/text_table.h"

namespace spica::network {

namespace {

using report::TextTable;
using ToText = std::string (*)(const json::Value& value);

std::string as_is(const json::Value& value) { return input::printable(value.get<std::string>()); }
std::string grouped(const json::Value& value) { return text::grouped(value.get<std::uint64_t>()); }
std::string percent(const json::Value& value) { return text::percent(value.get<double>()); }
std::string bytes(const json::Value& value) { return text::scaled(value.get<double>(), "B"); }
std::string short_number(const json::Value& value) { return fmt::format("{:.3g}", value.get<double>()); }
std::string error(const json::Value& value) { return fmt::format("{:.2g}", value.get<double>()); }

struct Column {
  const char* name;   // in the file
  const char* place;  // in the record, a JSON pointer
  const char* title;  // in the table; nullptr: only in the file
  ToText to_text = as_is;

  json::Value of(const json::Value& record) const {
    const json::Value::json_pointer pointer(place);
    return record.contains(pointer) ? record.at(pointer) : json::Value();
  }
  TextTable::Align align() const {
    return to_text == as_is ? TextTable::Align::kLeft : TextTable::Align::kRight;
  }
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
                               {"cycles", "/cycles", "cycles", grouped},
                               {"share", "/share", "share", percent},
                               {"multiply_adds", "/multiply_adds", nullptr},
                               {"lane_utilisation", "/lane_utilisation", nullptr},
                               {"l1_bytes", "/bytes/l1", nullptr},
                               {"shared_bytes", "/bytes/shared", nullptr},
                               {"l2_bytes", "/bytes/l2", nullptr},
                               {"dram_bytes", "/bytes/dram", "DRAM", bytes},
                               {"energy_uj", "/energy_uj/total", "uJ", short_number},
                               {"error", "/difference/error", "error", error},
                               {"allowed", "/difference/allowed", "allowed", error},
                               {"limiter", "/limiter", "limiter"}};

}  // namespace

std::string operator_table(const json::Value& records, const std::vector<json::Value>& more, bool is_fast) {
  std::vector<TextTable::Column> titles;
  for (const Column& column : kColumns)
    if (column.title != nullptr)
      titles.push_back(
          {is_fast && std::string_view(column.name) == "cycles" ? "estimated cycles" : column.title,
           column.align()});
  TextTable table(std::move(titles));
  const auto add = [&table](const json::Value& record) {
    std::vector<std::string> cells;
    for (const Column& column : kColumns) {
      if (column.title == nullptr) continue;
      const json::Value value = column.of(record);
      cells.push_back(value.is_null() ? "" : column.to_text(value));
    }
    table.add(std::move(cells));
  };
  for (const json::Value& record : records) add(record);
  for (const json::Value& record : more) add(record);
  return table.text(2);
}

std::string operators_csv(const json::Value& records) {
  std::vector<std::string> cells;
  for (const Column& column : kColumns) cells.emplace_back(column.name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const json::Value& record : records) {
    cells.clear();
    for (const Column& column : kColumns) {
      const json::Value value = column.of(record);
      cells.push_back(value.is_null()     ? ""
                      : value.is_string() ? report::csv_quoted(as_is(value))
                                          : value.dump());
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace spica::network
