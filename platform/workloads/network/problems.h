// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/workloads/network/graph.h"

namespace spica::network {

/// Nodes that cannot be executed, collected to be reported at once.
class Problems {
 public:
  /// Equal problems of one operator are reported once, with the number of nodes.
  void add(const Node& node, const std::string& what);
  /// An operator that does not exist here.
  void add_unsupported(const Node& node);
  void add(const std::string& node, const std::string& type, const std::string& what);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// Throws UserError with a line for each problem, unless there is none.
  void throw_if_any(const std::string& file) const;

 private:
  struct Entry {
    std::string node, type, what;
    std::size_t nodes = 1;
  };
  std::vector<Entry> entries_;
  bool unsupported_ = false;
};

}  // namespace spica::network
