// SPDX-License-Identifier: Apache-2.0
// Tables whose lines are records of results.
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::report {

/// How values are shown in a cell. Names are free of control characters.
namespace shown {
std::string name(const json::Value& value);
std::string count(const json::Value& value);
/// "" for zero.
std::string count_if_any(const json::Value& value);
/// Of a share of 1.
std::string percent(const json::Value& value);
std::string percent_if_any(const json::Value& value);
/// With a prefix: "18.9 kB".
std::string bytes(const json::Value& value);
/// Three digits.
std::string number(const json::Value& value);
}  // namespace shown

struct RecordColumn {
  const char* place;  // in the record, a JSON pointer
  const char* title;
  std::string (*show)(const json::Value& value) = shown::name;
};

/// The value of a column; null if the record has none.
json::Value value_of(const RecordColumn& column, const json::Value& record);

/// A line for each record; values that it lacks are empty cells, columns without a cell are left out. Names are on the
/// left, numbers on the right of their columns. Each line begins with `indent` blanks.
std::string record_table(const std::vector<RecordColumn>& columns, const std::vector<json::Value>& records,
                         unsigned indent = 0);

/// Columns of what a machine did while kernels ran (an account of launches), by kernel: launches, cycles, `time`,
/// share of active lanes, bytes at each level of memory, energy, `more`, limiter.
std::vector<RecordColumn> account_columns(const RecordColumn& time,
                                          const std::vector<RecordColumn>& more = {});

}  // namespace spica::report
