// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "platform/workloads/network/functions.h"
#include "platform/workloads/network/node_types.h"

namespace spica::network {

namespace {

/// Steps through the elements of operands that broadcast to common extents.
class BroadcastIndex {
 public:
  explicit BroadcastIndex(const Extents& common) : common_(common), at_(common.size()) {}

  void add(const Extents& extents) {
    Extents strides(common_.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const std::int64_t extent = extents[extents.size() - 1 - i];
      if (extent != 1) strides[common_.size() - 1 - i] = stride;
      stride *= extent;
    }
    strides_.push_back(std::move(strides));
    offsets_.push_back(0);
  }
  std::int64_t offset(std::size_t operand) const { return offsets_[operand]; }
  void next() {
    for (std::size_t axis = common_.size(); axis-- > 0;) {
      ++at_[axis];
      for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] += strides_[i][axis];
      if (at_[axis] < common_[axis]) return;
      for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] -= strides_[i][axis] * at_[axis];
      at_[axis] = 0;
    }
  }

 private:
  Extents common_, at_;
  std::vector<Extents> strides_;
  std::vector<std::int64_t> offsets_;
};

void infer_elementwise(NodeScope& scope) {
  const Elementwise operation = elementwise_of(scope);
  const unsigned operands = inputs_of(operation.function);
  Extents extents = scope.extents(0);
  for (unsigned i = 1; i < operands; ++i)
    if (scope.inputs() > i) extents = broadcast(extents, scope.extents(i));
  ElementType type = scope.type(operation.function == Function::kWhere ? 1 : 0);
  if (is_predicate(operation.function)) type = ElementType::kBool;
  const std::string_view name = scope.node().type;
  if (name == "Cast") {
    const auto to = static_cast<std::uint64_t>(scope.node().integer("to", 0));
    if (!element_type(to)) throw NodeError("attribute 'to' = " + type_text(to) + " is not supported");
    type = *element_type(to);
  }
  if (name == "CastLike") type = scope.type(1);
  if (name == "Mod" && scope.node().integer("fmod", 0) != (is_floating(type) ? 1 : 0))
    throw NodeError("attribute 'fmod' must be 1 for floating-point numbers and 0 for integers");
  if (operands >= 2 && scope.inputs() > 1 && operation.function != Function::kPow &&
      scope.type(operands - 1) != scope.type(operands - 2))
    throw NodeError("its inputs have different types");
  scope.set(0, type, std::move(extents));
}

void fold_elementwise(NodeScope& scope) {
  const Elementwise operation = elementwise_of(scope);
  const unsigned operands = inputs_of(operation.function);
  const Extents& extents = scope.result(0);
  BroadcastIndex index(extents);
  std::array<const Constant*, 3> inputs{};
  bool real = is_floating(scope.result_type(0));
  for (unsigned i = 0; i < operands; ++i) {
    inputs[i] = scope.constant(i < scope.inputs() ? i : 0);
    index.add(inputs[i]->extents);
    real = real || is_floating(inputs[i]->type);
  }
  ConstantBuilder builder(scope.result_type(0), extents);
  const std::int64_t count = element_count(extents);
  for (std::int64_t i = 0; i < count; ++i, index.next()) {
    const auto number = [&](unsigned input) {
      return inputs[input] == nullptr ? 0 : inputs[input]->number_at(index.offset(input));
    };
    const auto integer = [&](unsigned input) {
      return inputs[input] == nullptr ? 0 : inputs[input]->integer_at(index.offset(input));
    };
    if (real) {
      builder.set(i, evaluate(operation, number(0), number(1), number(2)));
    } else if (const auto value = evaluate_integer(operation, integer(0), integer(1), integer(2))) {
      builder.set(i, *value);
    } else {
      throw NodeError("it divides an integer by zero, or has no integer form");
    }
  }
  scope.set(0, std::move(builder).finish());
}

NodeType elementwise_type(std::string_view name, unsigned inputs, std::string_view attributes = {}) {
  return {name, inputs, inputs, 1, attributes, infer_elementwise, fold_elementwise};
}

}  // namespace

std::vector<NodeType> elementwise_node_types() {
  std::vector<NodeType> types;
  for (const std::string_view name :
       {"Abs", "Neg",   "Exp",     "Log",       "Sqrt", "Reciprocal", "Erf",  "Sin",
        "Cos", "Tanh",  "Sigmoid", "Softplus",  "Sign", "Floor",      "Ceil", "Round",
        "Not", "IsNaN", "Relu",    "HardSwish", "Mish", "Softsign"})
    types.push_back(elementwise_type(name, 1));
  for (const std::string_view name :
       {"Add", "Sub", "Mul", "Div", "Pow", "PRelu", "Equal", "Less", "LessOrEqual", "Greater",
        "GreaterOrEqual", "And", "Or", "Xor", "CastLike"})
    types.push_back(elementwise_type(name, 2));
  for (const std::string_view name : {"Sum", "Min", "Max"}) types.push_back(elementwise_type(name, 2));
  types.push_back(elementwise_type("Mod", 2, "fmod:i"));
  types.push_back(elementwise_type("Where", 3));
  types.push_back(elementwise_type("Gelu", 1, "approximate:s"));
  types.push_back(elementwise_type("LeakyRelu", 1, "alpha:f"));
  types.push_back(elementwise_type("Elu", 1, "alpha:f"));
  types.push_back(elementwise_type("Selu", 1, "alpha:f gamma:f"));
  types.push_back(elementwise_type("HardSigmoid", 1, "alpha:f beta:f"));
  types.push_back(elementwise_type("Cast", 1, "to:i saturate:i"));
  types.push_back({"Clip", 1, 3, 1, "", infer_elementwise, fold_elementwise});
  return types;
}

}  // namespace spica::network
