// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/base/config/source.h"

namespace spica::config {

/// One value in effect and where it comes from.
struct EffectiveValue {
  std::string key;  // dotted path, list entries by number
  Value value;
  std::string text;  // the value as it can be written in a configuration
  std::string unit;
  std::string place;  // "configs/virgo.yaml:7", "--set #1", "default"
  bool timing = false;  // no program sees it
};

/// All values in declared order.
std::vector<EffectiveValue> effective_fields(const Field& root, const Source& source);

/// The values and nothing else: a line key=value each, sorted by key. Equal for machines that are equal, wherever their
/// values were written.
std::string canonical_text(const std::vector<EffectiveValue>& values);

/// All values as YAML that load() reads again, each with its place as a trailing comment.
void dump_fields(std::ostream& os, const Field& root, const Source& source);

}  // namespace spica::config
