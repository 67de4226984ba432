// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/fuse.h"

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/fold_limit.h"
#include "platform/workloads/network/node_scope.h"

namespace spica::network {

namespace {

bool is_product(const Draft& draft) {
  return std::holds_alternative<Product>(draft.parameters) ||
         std::holds_alternative<Convolution>(draft.parameters);
}

Elementwise& function_of(Draft& product) {
  if (auto* convolution = std::get_if<Convolution>(&product.parameters)) return convolution->function;
  return std::get<Product>(product.parameters).function;
}

/// Functions that a product applies to its result.
bool is_activation(Function function) {
  switch (function) {
    case Function::kTanh:
    case Function::kSigmoid:
    case Function::kSoftplus:
    case Function::kRelu:
    case Function::kHardSwish:
    case Function::kMish:
    case Function::kGeluErf:
    case Function::kGeluTanh:
    case Function::kGeluSigmoid:
    case Function::kSilu:
    case Function::kLeakyRelu:
    case Function::kElu:
    case Function::kHardSigmoid:
    case Function::kClip: return true;
    default: return false;
  }
}

/// Whether a constant has a number for each column of a product, or channel of a convolution.
bool is_bias(const Value& value, const Extents& result, bool convolution) {
  if (!value.constant || value.extents->size() > result.size() || value.extents->empty()) return false;
  const std::size_t axis = convolution ? 1 : result.size() - 1, added = result.size() - value.extents->size();
  if (axis < added) return false;
  for (std::size_t i = 0; i < value.extents->size(); ++i)
    if ((*value.extents)[i] != (i + added == axis ? result[axis] : 1)) return false;
  return true;
}

/// Adds what an elementwise draft does with `value`, the result of the product. Returns whether it does.
bool take(const Graph& graph, const LowerOptions& options, Draft& product, const Draft& user,
          std::size_t value) {
  const auto* elementwise = std::get_if<Elementwise>(&user.parameters);
  const Value &before = graph.values[value], &after = graph.values[user.outputs[0]];
  Elementwise& function = function_of(product);
  if (elementwise == nullptr || function.function != Function::kIdentity || after.type != before.type ||
      *after.extents != *before.extents)
    return false;
  if (is_activation(elementwise->function)) {
    if (options.epilogue) function = *elementwise;
    return options.epilogue;
  }
  if (elementwise->function != Function::kAdd || user.inputs[0] == user.inputs[1]) return false;
  const std::size_t other = user.inputs[user.inputs[0] == value ? 1 : 0];
  product.inputs.resize(std::max(product.inputs.size(), std::size_t{4}), kNone);
  const bool bias =
      is_bias(graph.values[other], *before.extents, std::holds_alternative<Convolution>(product.parameters));
  if (bias && options.epilogue && product.inputs[2] == kNone && product.inputs[3] == kNone) {
    product.inputs[2] = other;
    return true;
  }
  if (!options.residual || product.inputs[3] != kNone || *graph.values[other].extents != *before.extents)
    return false;
  product.inputs[3] = other;
  return true;
}

}  // namespace

DraftList::DraftList(Graph& graph, const Matcher& matcher, std::vector<Draft> drafts)
    : graph_(graph), matcher_(matcher), drafts_(std::move(drafts)), owner_(graph.nodes.size(), kNone) {
  for (std::size_t i = 0; i < drafts_.size(); ++i)
    for (const std::size_t node : drafts_[i].nodes) owner_[node] = i;
}

Draft* DraftList::producer(std::size_t value) {
  if (value == kNone || graph_.values[value].producer == kNone) return nullptr;
  const std::size_t owner = owner_[graph_.values[value].producer];
  return owner == kNone ? nullptr : &drafts_[owner];
}

Draft* DraftList::only_user(std::size_t value) {
  const std::vector<std::size_t>& users = matcher_.users(value);
  if (users.empty() || graph_.values[value].is_output) return nullptr;
  const std::size_t owner = owner_[users[0]];
  for (const std::size_t user : users)
    if (owner_[user] != owner) return nullptr;
  return owner == kNone ? nullptr : &drafts_[owner];
}

void DraftList::absorb(Draft& whole, Draft& part) {
  const auto index = static_cast<std::size_t>(&whole - drafts_.data());
  for (const std::size_t node : part.nodes) owner_[node] = index;
  whole.nodes.insert(whole.nodes.end(), part.nodes.begin(), part.nodes.end());
  std::sort(whole.nodes.begin(), whole.nodes.end());
  part.removed = true;
}

std::size_t DraftList::add_constant(const std::string& name, Constant constant) {
  Value value;
  value.name = name;
  value.type = constant.type;
  value.extents = constant.extents;
  value.constant = std::move(constant);
  graph_.values.push_back(std::move(value));
  return graph_.values.size() - 1;
}

void fuse_epilogue(DraftList& list, const LowerOptions& options, Draft& product) {
  if (product.removed || !is_product(product)) return;
  while (true) {
    const std::size_t value = product.outputs[0];
    Draft* user = list.only_user(value);
    if (user == nullptr || user == &product || user->removed ||
        !take(list.graph(), options, product, *user, value))
      return;
    product.outputs = user->outputs;
    list.absorb(product, *user);
  }
}

namespace {

/// The factor and addend of each channel that BatchNormalization applies.
struct ChannelTerms {
  std::vector<double> factors, addends;
};

ChannelTerms channel_terms(const Graph& graph, const Node& node) {
  std::vector<const Constant*> inputs;
  for (std::size_t i = 1; i < 5; ++i) {
    const Value& value = graph.values[node.inputs[i]];
    if (!value.constant)
      throw NodeError("its statistics must be constant; export the model after model.eval()");
    inputs.push_back(&*value.constant);
  }
  ChannelTerms terms;
  const double epsilon = node.number("epsilon", 1e-5F);
  for (std::int64_t i = 0; i < inputs[0]->elements(); ++i) {
    const double factor = inputs[0]->number_at(i) / std::sqrt(inputs[3]->number_at(i) + epsilon);
    terms.factors.push_back(factor);
    terms.addends.push_back(inputs[1]->number_at(i) - inputs[2]->number_at(i) * factor);
  }
  return terms;
}

/// One number for each channel, with extents that broadcast to `rank` axes.
Constant channel_constant(ElementType type, const std::vector<double>& values, std::size_t rank) {
  Extents extents{static_cast<std::int64_t>(values.size())};
  for (std::size_t i = 2; i < rank; ++i) extents.push_back(1);
  ConstantBuilder builder(type, std::move(extents));
  for (std::size_t i = 0; i < values.size(); ++i) builder.set(static_cast<std::int64_t>(i), values[i]);
  return std::move(builder).finish();
}

/// Whether the convolution takes the terms into its weights.
bool fold_into(DraftList& list, Draft& convolution, const ChannelTerms& terms) {
  const Graph& graph = list.graph();
  const auto* parameters = std::get_if<Convolution>(&convolution.parameters);
  const std::size_t bias = convolution.input(2);
  if (parameters == nullptr || parameters->transposed || !graph.values[convolution.inputs[1]].constant ||
      (bias != kNone && !graph.values[bias].constant))
    return false;
  const Value weights_value = graph.values[convolution.inputs[1]];
  const Constant& weights = *weights_value.constant;
  if (weights.elements() > kMaxFoldedElements) return false;
  const std::int64_t channels = weights.extents[0],
                     inner = weights.elements() / std::max(channels, std::int64_t{1});
  ConstantBuilder builder(weights.type, weights.extents);
  for (std::int64_t i = 0; i < weights.elements(); ++i)
    builder.set(i, weights.number_at(i) * terms.factors[static_cast<std::size_t>(i / inner)]);
  std::vector<double> addends = terms.addends;
  if (bias != kNone)
    for (std::size_t i = 0; i < addends.size(); ++i)
      addends[i] += graph.values[bias].constant->number_at(static_cast<std::int64_t>(i)) * terms.factors[i];
  convolution.inputs.resize(std::max(convolution.inputs.size(), std::size_t{3}), kNone);
  convolution.inputs[1] = list.add_constant(weights_value.name, std::move(builder).finish());
  convolution.inputs[2] =
      list.add_constant(weights_value.name + "/bias", channel_constant(weights.type, addends, 1));
  return true;
}

}  // namespace

void fuse_batch_norm(DraftList& list, Draft& norm) {
  const Node node = list.graph().nodes[norm.main];
  const std::size_t x = node.inputs[0];
  const ChannelTerms terms = channel_terms(list.graph(), node);
  Draft* before = list.producer(x);
  if (before != nullptr && list.only_user(x) == &norm && fold_into(list, *before, terms)) {
    before->outputs = norm.outputs;
    list.absorb(*before, norm);
    return;
  }
  const ElementType type = list.graph().values[x].type;
  const std::size_t rank = list.graph().values[x].extents->size();
  norm.inputs = {x, list.add_constant(node.name + "/factor", channel_constant(type, terms.factors, rank)),
                 list.add_constant(node.name + "/addend", channel_constant(type, terms.addends, rank))};
}

}  // namespace spica::network
