// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/field.h"

namespace spica::config {

/// One parameter as shown to users who look for it.
struct ParameterInfo {
  std::string key;            // dotted path; "*" is the number of a list's entry
  std::string kind;           // "integer", "number", "bool", "choice", "string", "list"
  std::string unit;           // may be empty
  std::string allowed;        // range or choices
  std::string default_value;  // as it can be written in a configuration
  std::string doc;
  std::string source;  // where the default comes from; may be empty
  std::string group;   // path of the group it is in
  std::string group_doc;
  bool timing = false;  // changes time only; false: part of the programming model, or a list
  // What `allowed` says, for programs.
  std::optional<base::Range> range;  // numbers
  std::vector<std::string> choices;  // choices, and "true" and "false" of a truth value
  Better better = Better::kNeither;  // numbers
};

/// All parameters: those of a group in declared order, then its inner groups.
std::vector<ParameterInfo> list_fields(const Field& root);

/// Those that contain every word of `filter` (any case) in their key, unit, choices, meaning or
/// source.
std::vector<ParameterInfo> find(const std::vector<ParameterInfo>& parameters, std::string_view filter);

/// Aligned columns for a terminal, a heading for each group. What a parameter influences: "programs", which see it or
/// rely on it, or "time" alone (and energy).
void write_text(std::ostream& os, const std::vector<ParameterInfo>& parameters);
/// A JSON array with one object per parameter.
void write_json(std::ostream& os, const std::vector<ParameterInfo>& parameters);
/// One heading and table per group, for docs/reference.
void write_markdown(std::ostream& os, const std::vector<ParameterInfo>& parameters);

}  // namespace spica::config
