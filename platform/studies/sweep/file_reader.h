// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/expression.h"
#include "platform/base/config/node.h"
#include "platform/base/config/problem.h"

namespace spica::sweep {

/// Reads values from a file whose keys are not known beforehand, and collects errors.
class FileReader {
 public:
  explicit FileReader(std::vector<config::Problem>& problems) : problems_(problems) {}

  void report(const config::Place& place, const std::string& path, const std::string& what,
              const std::string& allowed = {});
  void report(const config::Node& node, const std::string& path, const std::string& what,
              const std::string& allowed = {}) {
    report(node.place, path, what, allowed);
  }

  bool is_map(const config::Node& node, const std::string& path);
  /// Reports keys that are not in `known`.
  void check_keys(const config::Node& map, const std::string& path, const std::vector<std::string>& known);
  /// A single value; "" after an error.
  std::string text(const config::Node& node, const std::string& path);
  /// A list of values, or a single one.
  std::vector<std::string> texts(const config::Node& node, const std::string& path);
  /// The same for values that become part of a line in a script or a folder's name: control characters are errors.
  std::string line(const config::Node& node, const std::string& path);
  std::vector<std::string> lines(const config::Node& node, const std::string& path);
  /// A whole number, also in the forms "50e6" and "64 KiB"; `lowest` after an error.
  std::uint64_t number(const config::Node& node, const std::string& path, double lowest, double highest);
  /// The condition, or list of conditions, at a key of a map; empty: no such key.
  std::vector<config::Expression> conditions(const config::Node& map, const char* key);

 private:
  using ReadOne = std::string (FileReader::*)(const config::Node& node, const std::string& path);
  std::vector<std::string> each(const config::Node& node, const std::string& path, ReadOne read);

  std::vector<config::Problem>& problems_;
};

}  // namespace spica::sweep
