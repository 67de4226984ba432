// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/base/stat_window.h"
#include "platform/base/json/value.h"

namespace spica::report {

/// One block and its name in the machine: "cluster_0.core_1".
struct NamedStats {
  std::string name;
  const base::StatGroup* group = nullptr;
};

/// A tree by the parts of the names. A counter is {value, unit, description}, a cycle account {total, unit,
/// description, reasons: {reason: cycles}}; the reasons add up to the total. With `region`, both also have in_region:
/// their counts within that part of the run. Accounts of one name are one entry {unit, description, reasons: {reason:
/// [cycles]}} with a value for each of them. Settle the accounts first. Throws std::logic_error if a counter and a
/// block have the same name.
json::Value statistics_json(const std::vector<NamedStats>& groups, const base::StatWindow* region = nullptr);

/// The document with all names and texts made printable (platform/base/input/printable.h), except line ends and tabs.
/// Always valid as JSON.
json::Value printable_json(json::Value document);

/// printable_json() as indented text; objects and arrays without nested ones are on one line. Ends with a newline.
std::string json_text(const json::Value& value);

}  // namespace spica::report
