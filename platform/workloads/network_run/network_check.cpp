// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_check.h"

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/array.h"
#include "platform/workloads/network/expected.h"

namespace spica::network {

namespace {

std::vector<Array> inputs_of(const Operator& op, const ReadTensor& memory) {
  std::vector<Array> inputs;
  for (const Operand& input : op.inputs)
    inputs.push_back(input.given() ? gather(input, memory(input.tensor)) : Array());
  return inputs;
}

/// Half a unit in the last place of the type around `value`.
double rounding(ElementType type, double value) {
  switch (type) {
    case ElementType::kFp32: return std::abs(value) * 0x1p-24 + 0x1p-149;
    case ElementType::kFp16: return std::abs(value) * 0x1p-11 + 0x1p-25;
    case ElementType::kBf16: return std::abs(value) * 0x1p-8 + 0x1p-133;
    default: return 0;
  }
}

/// Infinite where the type has no such large numbers.
double representable(ElementType type, double value) {
  const double largest = type == ElementType::kFp16   ? 65504.0
                         : type == ElementType::kBf16 ? 0x1.fep127
                         : type == ElementType::kFp32 ? 0x1.fffffep127
                                                      : INFINITY;
  return std::abs(value) > largest ? std::copysign(INFINITY, value) : value;
}

class Comparison {
 public:
  void add(double value, double wanted, double allowed) {
    const bool same = value == wanted || (std::isnan(value) && std::isnan(wanted));
    const double error = same ? 0 : std::abs(value - wanted);
    const bool wrong = !same && !(error <= allowed);
    if (wrong) ++found_.wrong;
    const double ratio = same ? 0 : allowed > 0 && std::isfinite(error) ? error / allowed : INFINITY;
    if (count_ == 0 || ratio > largest_) {
      const std::uint64_t wrong_so_far = found_.wrong;
      found_ = {error, allowed, count_, value, wanted, wrong_so_far};
      largest_ = ratio;
    }
    ++count_;
  }
  const Difference& found() const { return found_; }

 private:
  Difference found_;
  double largest_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace

std::vector<double> values_of(const Operand& operand, const Constant& tensor) {
  const Array array = gather(operand, tensor);
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(element_count(array.extents)));
  for_each_index<1>(array.extents, {&array.strides}, [&](const std::array<std::int64_t, 1>& at) {
    all.push_back(array.values[static_cast<std::size_t>(at[0])]);
  });
  return all;
}

Difference check_operator(const Operator& op, const ReadTensor& memory, StoredSums stored) {
  std::vector<ElementType> types;
  for (const Operand& output : op.outputs)
    types.push_back(output.given() ? memory(output.tensor).type : ElementType::kUnknown);
  const std::vector<Expected> wanted = expected(op, inputs_of(op, memory), types);
  Comparison comparison;
  for (std::size_t output = 0; output < op.outputs.size(); ++output) {
    if (!op.outputs[output].given()) continue;
    const Constant tensor = memory(op.outputs[output].tensor);
    const std::vector<double> values = values_of(op.outputs[output], tensor);
    const Expected& one = wanted[output];
    // Powers of long rows are stored before they are divided.
    const double roundings = std::holds_alternative<Softmax>(op.parameters) ? 3 : 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double allowed = one.allowed[i] + roundings * rounding(tensor.type, one.values[i]);
      if (stored.in_steps && !one.before.empty()) allowed += kSteepest * rounding(tensor.type, one.before[i]);
      if (stored.by_unit)
        allowed += kSteepest * rounding(tensor.type, !one.sums.empty()     ? one.sums[i]
                                                     : !one.before.empty() ? one.before[i]
                                                                           : one.values[i]);
      comparison.add(values[i], representable(tensor.type, one.values[i]), allowed);
    }
  }
  return comparison.found();
}

ReferenceRun::ReferenceRun(const Network& network, ReadTensor given, std::map<std::size_t, Constant> computed)
    : network_(network), given_(std::move(given)), computed_(std::move(computed)) {}

Constant ReferenceRun::read(std::size_t tensor) const {
  const auto found = computed_.find(tensor);
  return found != computed_.end() ? found->second : given_(tensor);
}

void ReferenceRun::run(const OperatorRange& range) {
  // The last operator that uses a tensor.
  std::map<std::size_t, std::size_t> last;
  for (std::size_t i = 0; i < network_.operators.size(); ++i)
    for (const Operand& input : network_.operators[i].inputs) last[input.tensor] = i;
  for (const Port& output : network_.outputs) last[output.operand.tensor] = network_.operators.size();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Operator& op = network_.operators[i];
    std::vector<ElementType> types;
    for (const Operand& output : op.outputs)
      types.push_back(output.given() ? network_.tensors[output.tensor].type : ElementType::kUnknown);
    const std::vector<Expected> results =
        expected(op, inputs_of(op, [this](std::size_t tensor) { return read(tensor); }), types);
    for (std::size_t output = 0; output < op.outputs.size(); ++output) {
      const Operand& to = op.outputs[output];
      if (!to.given()) continue;
      // Operators may write parts of a tensor one after the other, as a Concat does.
      const ElementType type = network_.tensors[to.tensor].type;
      ConstantBuilder builder(is_floating(type) ? ElementType::kFp64 : type,
                              network_.tensors[to.tensor].extents);
      if (const auto before = computed_.find(to.tensor); before != computed_.end())
        for (std::int64_t at = 0; at < before->second.elements(); ++at) builder.copy(at, before->second, at);
      std::size_t at = 0;
      for_each_index<1>(to.extents, {&to.strides}, [&](const std::array<std::int64_t, 1>& offset) {
        builder.set(to.offset + offset[0], results[output].values[at++]);
      });
      computed_[to.tensor] = std::move(builder).finish();
    }
    for (const Operand& input : op.inputs)
      if (input.given() && last[input.tensor] == i) computed_.erase(input.tensor);
  }
}

std::vector<double> ReferenceRun::values(const Operand& operand) const {
  return values_of(operand, read(operand.tensor));
}

Difference compare(const std::vector<double>& values, const std::vector<double>& wanted, ElementType type,
                   double absolute, double relative) {
  Comparison comparison;
  for (std::size_t i = 0; i < values.size(); ++i)
    comparison.add(values[i], representable(type, wanted[i]), absolute + relative * std::abs(wanted[i]));
  return comparison.found();
}

}  // namespace spica::network
