// SPDX-License-Identifier: Apache-2.0
// A network as its file describes it: values and the nodes that compute them, in order of execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "platform/workloads/network/tensor.h"

namespace spica::network {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// An extent in a file: a number, a symbol ("batch"), or unknown (an empty symbol).
struct Dimension {
  std::optional<std::int64_t> extent;
  std::string symbol;
};

/// A tensor between nodes.
struct Value {
  std::string name;
  ElementType type = ElementType::kUnknown;
  std::optional<std::vector<Dimension>> declared;  // as in the file
  std::optional<Extents> extents;                  // after shapes are fixed and inferred
  std::optional<Constant> constant;                // initializers, and folded values
  std::size_t producer = kNone;                    // node; kNone: an input or an initializer
  bool is_input = false, is_output = false;
};

/// An attribute of a node. Graphs, strings of bytes that are not text, and unsupported tensors are `std::monostate`.
struct Attribute {
  std::string name;
  std::variant<std::monostate, double, std::int64_t, std::string, Constant, std::vector<double>,
               std::vector<std::int64_t>, std::vector<std::string>>
      value;
};

struct Node {
  std::string name;  // of the file; "Add_17" (operator and number) if it has none
  std::string type;  // "MatMul"; "com.microsoft.Gelu" in another domain
  std::vector<std::size_t> inputs;  // values; kNone: an optional input that is not given
  std::vector<std::size_t> outputs;  // values; kNone: an output without a name
  std::vector<Attribute> attributes;
  std::uint64_t offset = 0;  // byte in the file

  const Attribute* find(std::string_view attribute) const;
  std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  double number(std::string_view attribute, double otherwise) const;
  std::string text(std::string_view attribute, std::string_view otherwise) const;
  /// Empty if the attribute is missing.
  std::optional<std::vector<std::int64_t>> integer_list(std::string_view attribute) const;
  std::size_t input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kNone; }
  std::size_t output(std::size_t i) const { return i < outputs.size() ? outputs[i] : kNone; }
};

struct Graph {
  std::string file;
  std::int64_t opset = 0;
  std::vector<Value> values;
  std::vector<Node> nodes;  // a node is after the nodes whose outputs it uses
  std::vector<std::size_t> inputs, outputs;  // values; inputs are without initializers
};

}  // namespace spica::network
