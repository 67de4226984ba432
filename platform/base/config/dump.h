// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/base/config/source.h"

namespace spica::config {

/// One effective value and its origin.
struct EffectiveValue {
  std::string key;  // dotted path, list entries by number
  Value value;
  std::string text;  // the value as written in a configuration
  std::string unit;
  std::string place;  // "configs/virgo.yaml:7", "--set #1", "default"
  bool timing = false;  // invisible to programs
};

/// All values in declared order.
std::vector<EffectiveValue> effective_fields(const Field& root, const Source& source);

/// Only the values: one line key=value each, sorted by key. Equal for equal machines, independent of where values were
/// written.
std::string canonical_text(const std::vector<EffectiveValue>& values);

/// All values as YAML that load() accepts, each with its origin as a trailing comment.
void dump_fields(std::ostream& os, const Field& root, const Source& source);

}  // namespace spica::config
