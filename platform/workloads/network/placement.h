// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/workloads/network/align.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network/view.h"

namespace spica::network {

/// Where the elements of a value are.
struct Placed {
  std::size_t tensor = kNone;  // kNone: an operand that is not given
  View view;

  bool given() const { return tensor != kNone; }
};

/// Tensors of a network, and the place of each value of its graph in them.
class Placement {
 public:
  explicit Placement(Network& network);

  const Graph& graph() const { return network_.graph; }
  Network& network() { return network_; }

  /// Of an input of the model, a constant, or a value that has been placed; not given for kNone.
  Placed of(std::size_t value);
  void place(std::size_t value, Placed placed) { placed_[value] = std::move(placed); }
  /// A new tensor for a value. `order`: the axes of the value in the order of memory; empty: their own order.
  Placed create(std::size_t value, const std::vector<std::size_t>& order = {});
  /// The same with a tensor for other elements: a copy.
  Placed create(const std::string& name, ElementType type, const Extents& extents);
  /// A constant that the model does not have.
  Placed create(const std::string& name, Constant constant);
  ElementType type(const Placed& placed) const { return network_.tensors[placed.tensor].type; }

  /// Appends a copy of a view into a new tensor in row-major order. `value`: the one whose elements it has, which is placed
  /// there from now on; kNone: only this use. `name` for the operator; `node`: the one
  /// that it carries out, if it is known.
  Placed copy(const Placed& from, std::size_t value, const std::string& name, std::size_t node = kNone);
  /// The place of a value, copied if one of its axes has more than one stride.
  Placed plain(std::size_t value);

  /// Appends an operator with its rows. The last one of a node is that of its row.
  void add(Operator added);

 private:
  void set_rows(const Operator& added, std::size_t index);

  Network& network_;
  std::vector<std::optional<Placed>> placed_;  // by value
};

/// The operand that has an extent and a stride for each axis of a view, none of which has two parts.
Operand plain_operand(const Placed& placed);
/// One operand of loops.
Operand loop_operand(const Placed& placed, const std::vector<Loop>& loops, std::size_t i);
/// Whether each axis has at most one stride.
bool is_plain(const View& view);

}  // namespace spica::network
