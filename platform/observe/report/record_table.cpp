// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/record_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/text_table.h"

namespace spica::report {

namespace shown {

std::string name(const json::Value& value) { return input::printable(value.get<std::string>()); }
std::string count(const json::Value& value) { return text::grouped(value.get<std::uint64_t>()); }
std::string count_if_any(const json::Value& value) { return value == 0 ? "" : count(value); }
std::string percent(const json::Value& value) { return text::percent(value.get<double>()); }
std::string percent_if_any(const json::Value& value) { return value == 0 ? "" : percent(value); }
std::string bytes(const json::Value& value) { return text::scaled(value.get<double>(), "B"); }
std::string number(const json::Value& value) { return fmt::format("{:.3g}", value.get<double>()); }

}  // namespace shown

json::Value value_of(const RecordColumn& column, const json::Value& record) {
  const json::Value::json_pointer pointer(column.place);
  return record.contains(pointer) ? record.at(pointer) : json::Value();
}

std::string record_table(const std::vector<RecordColumn>& columns, const std::vector<json::Value>& records,
                         unsigned indent) {
  std::vector<TextTable::Column> titles;
  titles.reserve(columns.size());
  for (const RecordColumn& column : columns)
    titles.push_back(
        {column.title, column.show == shown::name ? TextTable::Align::kLeft : TextTable::Align::kRight});
  TextTable table(std::move(titles));
  for (const json::Value& record : records) {
    std::vector<std::string> cells;
    for (const RecordColumn& column : columns) {
      const json::Value value = value_of(column, record);
      cells.push_back(value.is_null() ? "" : column.show(value));
    }
    table.add(std::move(cells));
  }
  return table.text(indent);
}

std::vector<RecordColumn> account_columns(const RecordColumn& time, const std::vector<RecordColumn>& more) {
  std::vector<RecordColumn> columns{{"/name", "kernel"},
                                    {"/launches", "launches", shown::count_if_any},
                                    {"/cycles", "cycles", shown::count},
                                    time,
                                    {"/lane_utilisation", "lanes", shown::percent_if_any},
                                    {"/bytes/l1", "l1", shown::bytes},
                                    {"/bytes/shared", "shared", shown::bytes},
                                    {"/bytes/l2", "l2", shown::bytes},
                                    {"/bytes/dram", "dram", shown::bytes},
                                    {"/energy_uj/total", "uJ", shown::number}};
  columns.insert(columns.end(), more.begin(), more.end());
  columns.push_back({"/limiter", "limiter"});
  return columns;
}

}  // namespace spica::report
