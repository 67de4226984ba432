// SPDX-License-Identifier: Apache-2.0
// The columns of operators, in the printed table and in operators.csv.
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::network {

/// A line for each record of stats.json, "operators", and one for each of `more`, whose missing values are empty.
/// `is_fast`: times are estimates.
std::string operator_table(const json::Value& records, const std::vector<json::Value>& more, bool is_fast);
/// All columns and all digits.
std::string operators_csv(const json::Value& records);

}  // namespace spica::network
