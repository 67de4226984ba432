// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/workloads/network/graph.h"

namespace spica::network {

/// A graph for the recognition of patterns: which nodes are executed, who computes and uses a value. Nodes that a pattern has
/// claimed are not found again.
class Matcher {
 public:
  explicit Matcher(const Graph& graph);

  const Graph& graph() const { return graph_; }
  const Node& node(std::size_t index) const { return graph_.nodes[index]; }
  const Value& value(std::size_t index) const { return graph_.values[index]; }
  const Extents& extents(std::size_t value) const { return *graph_.values[value].extents; }
  std::size_t output(std::size_t node) const { return graph_.nodes[node].outputs[0]; }

  /// Whether a node is executed: outputs depend on it, and it is not folded.
  bool live(std::size_t node) const { return live_[node]; }
  bool claimed(std::size_t node) const { return claimed_[node]; }
  void claim(const std::vector<std::size_t>& nodes);

  /// The node of this type that computes a value; kNone: another one, or none that can be used.
  std::size_t producer(std::size_t value, std::string_view type) const;
  /// Live nodes that use a value, ascending; one that uses it twice is in it once. Of a value that was added later: none.
  const std::vector<std::size_t>& users(std::size_t value) const;
  /// The only user, if it has this type and the value is not an output of the model; else kNone.
  std::size_t only_user(std::size_t value, std::string_view type) const;
  /// Whether exactly these nodes use a value, which is not an output of the model.
  bool used_only_by(std::size_t value, std::vector<std::size_t> nodes) const;
  /// The other input of a node with two inputs, one of which is `value`; kNone if it is not.
  std::size_t other_input(std::size_t node, std::size_t value) const;

  /// The number, if a value is a constant of one element.
  std::optional<double> scalar(std::size_t value) const;
  /// Whether a value is this number, as rounded to its type.
  bool is_number(std::size_t value, double number) const;
  /// Whether a reduction node covers only the last axis and keeps it.
  bool reduces_last_axis(std::size_t node) const;

 private:
  const Graph& graph_;
  std::vector<bool> live_, claimed_;
  std::vector<std::vector<std::size_t>> users_;
};

}  // namespace spica::network
