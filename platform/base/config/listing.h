// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/field.h"

namespace spica::config {

/// One parameter as shown to users who search for it.
struct ParameterInfo {
  std::string key;            // dotted path; "*" for the number of a list entry
  std::string kind;           // "integer", "number", "bool", "choice", "string", "list"
  std::string unit;           // may be empty
  std::string allowed;        // range or choices
  std::string default_value;  // as written in a configuration
  std::string doc;
  std::string source;  // source of the default; may be empty
  std::string group;   // path of its group
  std::string group_doc;
  bool timing = false;  // changes time only; false: part of the programming model, or a list
  // The contents of `allowed`, for programs.
  std::optional<base::Range> range;  // numbers
  std::vector<std::string> choices;  // choices; "true" and "false" for truth values
  Better better = Better::kNeither;  // numbers
};

/// All parameters: those of a group in declared order, then its inner groups.
std::vector<ParameterInfo> list_fields(const Field& root);

/// Those that contain every word of `filter` (any case) in their key, unit, choices, meaning or
/// source.
std::vector<ParameterInfo> find(const std::vector<ParameterInfo>& parameters, std::string_view filter);

/// Writes aligned columns for a terminal, with a heading per group. The influence of a parameter is "programs" (they
/// see it or rely on it) or "time" only (and energy).
void write_text(std::ostream& os, const std::vector<ParameterInfo>& parameters);
/// A JSON array with one object per parameter.
void write_json(std::ostream& os, const std::vector<ParameterInfo>& parameters);
/// Writes one heading and table per group, for docs/reference.
void write_markdown(std::ostream& os, const std::vector<ParameterInfo>& parameters);

}  // namespace spica::config
