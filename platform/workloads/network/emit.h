// SPDX-License-Identifier: Apache-2.0
// From drafts to operators: operands are placed in memory and brought into the normal form of operators.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/workloads/network/draft.h"
#include "platform/workloads/network/matcher.h"
#include "platform/workloads/network/placement.h"

namespace spica::network {

struct EmitContext {
  Placement& placement;
  const Matcher& matcher;
  const Draft& draft;

  const Graph& graph() const { return placement.graph(); }
  const Node& node() const { return graph().nodes[draft.main]; }
  NodeScope scope() const { return {graph(), draft.main}; }
  Placed input(std::size_t i) const { return placement.of(draft.input(i)); }
  /// Places an output. Its axes are in the order that lets following nodes, such as the merging of heads, be views.
  Placed output(std::size_t i = 0) const;
  /// The operator with name and nodes of the draft.
  Operator start() const;
};

/// Appends the operators of a draft. Throws NodeError for a condition that is not supported.
void emit(const EmitContext& context);

void emit_elementwise(const EmitContext& context);
/// A product and a sum for each channel, for a BatchNormalization without a convolution before it.
void emit_channel_terms(const EmitContext& context);
void emit_concat(const EmitContext& context);
/// Operators along the last axis, or along axes that become it.
void emit_rows(const EmitContext& context, const std::vector<std::size_t>& row_axes);
void emit_reduction(const EmitContext& context, const std::vector<std::size_t>& axes);
void emit_top_k(const EmitContext& context);
void emit_cumulative_sum(const EmitContext& context);
/// A Trilu, as a choice between elements and 0.
void emit_triangle(const EmitContext& context);
void emit_resize(const EmitContext& context);
void emit_one_hot(const EmitContext& context);
void emit_recurrent(const EmitContext& context);
void emit_group_norm(const EmitContext& context);
void emit_product(const EmitContext& context);
void emit_convolution(const EmitContext& context);
void emit_gather(const EmitContext& context);
/// Operators whose operands have the axes of the model.
void emit_plain(const EmitContext& context);

void emit_pool(const EmitContext& context);

/// Loops over some axes, the same ones, of operands; an operand that is not given gets strides of 0. The first `inputs`
/// operands that do not fit are copied.
std::vector<Loop> loops_over(const EmitContext& context, std::vector<Placed>& operands, std::size_t inputs,
                             const std::vector<std::size_t>& axes);
/// A view of an input that broadcasts to these extents.
Placed expanded(Placed placed, const Extents& extents);
/// A view of [N, C, W] or [N, C, H, W] with H and W.
Placed spatial_view(Placed placed);
/// The axes of a value without `without`.
std::vector<std::size_t> other_axes(std::size_t rank, const std::vector<std::size_t>& without);

}  // namespace spica::network
