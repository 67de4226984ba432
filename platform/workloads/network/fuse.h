// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/workloads/network/draft.h"
#include "platform/workloads/network/graph.h"
#include "platform/workloads/network/matcher.h"

namespace spica::network {

struct LowerOptions {
  bool epilogue = true;  // bias and activation in products
  bool residual = true;  // also the addition of another tensor
};

/// The operators of a graph and which of them has each node.
class DraftList {
 public:
  DraftList(Graph& graph, const Matcher& matcher, std::vector<Draft> drafts);

  Graph& graph() { return graph_; }
  std::vector<Draft>& drafts() { return drafts_; }
  /// The draft that computes a value; nullptr: none, a view, an input.
  Draft* producer(std::size_t value);
  /// The draft whose nodes are the only ones that use a value, which is not an output of the model; else
  /// nullptr.
  Draft* only_user(std::size_t value);
  const std::vector<std::size_t>& users(std::size_t value) const { return matcher_.users(value); }
  std::size_t owner(std::size_t node) const { return owner_[node]; }
  /// Moves the nodes of `part` to `whole`.
  void absorb(Draft& whole, Draft& part);
  /// A constant that is not in the file.
  std::size_t add_constant(const std::string& name, Constant constant);

 private:
  Graph& graph_;
  const Matcher& matcher_;
  std::vector<Draft> drafts_;
  std::vector<std::size_t> owner_;  // by node
};

/// BatchNormalization with constant statistics goes into the weights of the convolution before it, if the
/// result of that has no other user; else it becomes a product and a sum for each channel. Throws NodeError
/// if they are not constant.
void fuse_batch_norm(DraftList& list, Draft& norm);
/// y = function(product + bias + residual): each result in between must have no other user.
void fuse_epilogue(DraftList& list, const LowerOptions& options, Draft& product);

}  // namespace spica::network
