// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/workloads/network/graph.h"

namespace spica::network {

/// Why a node is not supported: "attribute 'mode' = 'cubic': supported: nearest, linear".
class NodeError : public std::runtime_error {
 public:
  explicit NodeError(const std::string& what) : std::runtime_error(what) {}
};

/// A node with what is known of its inputs: for inference of extents and evaluation on the host.
class NodeScope {
 public:
  /// For inference: outputs can be set.
  NodeScope(Graph& graph, std::size_t node) : graph_(graph), node_(graph.nodes[node]), target_(&graph) {}
  NodeScope(const Graph& graph, std::size_t node) : graph_(graph), node_(graph.nodes[node]) {}

  const Node& node() const { return node_; }
  std::int64_t opset() const { return graph_.opset; }
  bool given(std::size_t i) const { return node_.input(i) != kNone; }
  std::size_t inputs() const { return node_.inputs.size(); }

  /// Of an input whose extents are known, as infer() guarantees. Throws NodeError if it is not given.
  const Extents& extents(std::size_t i) const;
  ElementType type(std::size_t i) const;
  std::int64_t rank(std::size_t i) const { return static_cast<std::int64_t>(extents(i).size()); }
  /// nullptr: not given, or computed during the run.
  const Constant* constant(std::size_t i) const;
  /// A list that extents depend on. Throws NodeError if it is not constant, with `name` of the input.
  std::vector<std::int64_t> list(std::size_t i, std::string_view name) const;
  /// A list that is an attribute up to some opset and an input after it; empty optional: neither.
  std::optional<std::vector<std::int64_t>> list_of(std::string_view attribute, std::size_t i) const;
  /// A negative axis counts from the end. Throws NodeError unless it is one of `rank` axes.
  static std::size_t axis(std::int64_t axis, std::int64_t rank);
  /// The attribute `axis`.
  std::size_t axis_attribute(std::int64_t otherwise, std::int64_t rank) const {
    return axis(node_.integer("axis", otherwise), rank);
  }

  std::size_t outputs() const { return node_.outputs.size(); }
  bool wanted(std::size_t i) const { return node_.output(i) != kNone; }
  /// Extents of an output as inferred.
  const Extents& result(std::size_t i) const { return *graph_.values[node_.outputs[i]].extents; }
  ElementType result_type(std::size_t i) const { return graph_.values[node_.outputs[i]].type; }
  /// Sets type and extents of an output; no effect on one without a name. Throws NodeError for too many elements.
  void set(std::size_t i, ElementType type, Extents extents);
  /// Also sets its values.
  void set(std::size_t i, Constant constant);

 private:
  const Graph& graph_;
  const Node& node_;
  Graph* target_ = nullptr;
};

/// The common extents of operands that broadcast as in numpy. Throws NodeError.
Extents broadcast(const Extents& a, const Extents& b);

}  // namespace spica::network
