// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/lower.h"

#include <algorithm>
#include <utility>

#include "platform/workloads/network/drafts.h"
#include "platform/workloads/network/emit.h"
#include "platform/workloads/network/infer.h"
#include "platform/workloads/network/patterns.h"
#include "platform/workloads/network/problems.h"
#include "platform/workloads/network/read_model.h"

namespace spica::network {

namespace {

class Lowering {
 public:
  /// `problems`: those that are known; found ones are added. Throws UserError with all if there are new ones.
  Lowering(Graph graph, const LowerOptions& options, Problems& problems)
      : options_(options), problems_(problems), known_(problems.size()) {
    network_.graph = std::move(graph);
    network_.rows.resize(network_.graph.nodes.size());
  }

  Network run() {
    Matcher matcher(network_.graph);
    DraftList list = find(matcher);
    each(list, [&](Draft& draft) {
      if (network_.graph.nodes[draft.main].type == "BatchNormalization") fuse_batch_norm(list, draft);
    });
    each(list, [&](Draft& draft) { fuse_epilogue(list, options_, draft); });
    place(matcher, list);
    stop_at_problems();
    return std::move(network_);
  }

 private:
  DraftList find(Matcher& matcher) {
    std::vector<Draft> drafts = find_patterns(matcher);
    for (std::size_t i = 0; i < network_.graph.nodes.size(); ++i) {
      if (!matcher.live(i) || matcher.claimed(i)) continue;
      try {
        if (may_be_view(NodeScope(std::as_const(network_.graph), i))) continue;
        drafts.push_back(draft_of(network_.graph, i));
      } catch (const NodeError& error) {
        problems_.add(network_.graph.nodes[i], error.what());
      }
    }
    stop_at_problems();
    return {network_.graph, matcher, std::move(drafts)};
  }

  template <class Action>
  void each(DraftList& list, const Action& action) {
    for (Draft& draft : list.drafts()) {
      if (draft.removed) continue;
      try {
        action(draft);
      } catch (const NodeError& error) {
        problems_.add(network_.graph.nodes[draft.main], error.what());
      }
    }
    stop_at_problems();
  }

  /// Appends the operators in the order of the last nodes of the drafts: then all operands are computed.
  void place(const Matcher& matcher, DraftList& list) {
    Placement placement(network_);
    for (const std::size_t input : network_.graph.inputs)
      network_.inputs.push_back({network_.graph.values[input].name, plain_operand(placement.of(input))});
    for (std::size_t i = 0; i < network_.graph.nodes.size(); ++i) {
      if (!matcher.live(i)) continue;
      const std::size_t owner = list.owner(i);
      const std::size_t main = owner == kNone ? i : list.drafts()[owner].main;
      if (owner != kNone && list.drafts()[owner].nodes.back() != i) continue;
      try {
        if (owner == kNone) place_view(placement, i);
        else place_draft({placement, matcher, list.drafts()[owner]});
      } catch (const NodeError& error) {
        problems_.add(network_.graph.nodes[main], error.what());
      }
      if (problems_.size() > known_) return;  // later nodes have no operands
    }
    // Only views and constants: the machine copies them.
    const bool only_views = network_.operators.empty();
    for (const std::size_t output : network_.graph.outputs) {
      const std::string& name = network_.graph.values[output].name;
      if (only_views && element_count(placement.of(output).view.extents()) != 0)
        (void)placement.copy(placement.of(output), output, name);
      network_.outputs.push_back({name, plain_operand(placement.plain(output))});
    }
  }

  void place_draft(const EmitContext& context) {
    const bool empty =
        std::all_of(context.draft.outputs.begin(), context.draft.outputs.end(), [&](std::size_t output) {
          return output == kNone || element_count(context.matcher.extents(output)) == 0;
        });
    if (!empty) return emit(context);
    for (const std::size_t output : context.draft.outputs)  // nothing to compute: the row stays "folded"
      if (output != kNone) context.placement.create(output);
  }

  void place_view(Placement& placement, std::size_t index) {
    const NodeScope scope(std::as_const(network_.graph), index);
    const Node& node = scope.node();
    network_.rows[index] = {Row::State::kView, kNone};
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      Placed input = placement.of(node.inputs[0]);
      auto view = node_view(scope, input.view, i);
      if (!view) {  // only of a copy in row-major order
        input = placement.copy(input, kNone, node.name, index);
        view = node_view(scope, input.view, i);
      }
      placement.place(node.outputs[i], {input.tensor, *view});
    }
  }

  void stop_at_problems() const {
    if (problems_.size() > known_) problems_.throw_if_any(network_.graph.file);
  }

  LowerOptions options_;
  Network network_;
  Problems& problems_;
  std::size_t known_;
};

/// The part of a graph that has been inferred becomes all of it: what nothing in it uses are its outputs.
void keep_inferred(Graph& graph) {
  const auto is_known = [&](const std::vector<std::size_t>& values) {
    return std::all_of(values.begin(), values.end(), [&](std::size_t value) {
      return value == kNone || graph.values[value].extents.has_value();
    });
  };
  std::vector<bool> is_used(graph.values.size());
  graph.outputs.clear();
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    if (!is_known(node.inputs) || !is_known(node.outputs)) continue;
    for (const std::size_t output : node.outputs) {
      if (output == kNone) continue;
      graph.values[output].is_output = !is_used[output];
      if (!is_used[output]) graph.outputs.push_back(output);
    }
    for (const std::size_t input : node.inputs)
      if (input != kNone) is_used[input] = true;
  }
}

}  // namespace

Network lower(Graph graph, const LowerOptions& options) {
  Problems problems;
  return Lowering(std::move(graph), options, problems).run();
}

Network load_network(const std::string& path, const ShapeOptions& shapes, const LowerOptions& options,
                     const CheckOperators& check) {
  Graph graph = read_model(path);
  fix_shapes(graph, shapes);
  Problems problems;
  infer(graph, problems);
  if (problems.empty()) return lower(std::move(graph), options);
  if (check) {
    keep_inferred(graph);
    check(Lowering(std::move(graph), options, problems).run(), problems);
  }
  problems.throw_if_any(path);
  return {};
}

}  // namespace spica::network
