// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <type_traits>
#include <utility>

#include "models/base/invariant.h"
#include "platform/workloads/network/functions.h"
#include "platform/workloads/network_run/calls.h"

namespace spica::network {

std::string operator_of(Function function) {
  switch (function) {
    case Function::kGeluErf: return "Gelu";
    case Function::kSiluGate: return "GatedSilu";
    case Function::kPrelu: return "PRelu";
    default: break;
  }
  std::string name;
  bool is_first = true;
  for (const char c : name_of(function)) {
    if (c != '_') name += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_first = c == '_';
  }
  return name;
}

namespace {

const char* operator_of(Reduce::Operation operation) {
  switch (operation) {
    case Reduce::Operation::kSum: return "ReduceSum";
    case Reduce::Operation::kMean: return "ReduceMean";
    case Reduce::Operation::kMax: return "ReduceMax";
    case Reduce::Operation::kMin: return "ReduceMin";
    case Reduce::Operation::kProduct: return "ReduceProd";
    case Reduce::Operation::kSumSquare: return "ReduceSumSquare";
    case Reduce::Operation::kL1: return "ReduceL1";
    case Reduce::Operation::kL2: return "ReduceL2";
    case Reduce::Operation::kLogSum: return "ReduceLogSum";
    case Reduce::Operation::kLogSumExp: return "ReduceLogSumExp";
    default: return "";  // kArgMax, kArgMin: a selection
  }
}

/// A row is the last two axes of norms and reductions: another one in front of the last.
Operand as_rows(Operand operand) {
  operand.extents.insert(operand.extents.end() - 1, 1);
  operand.strides.insert(operand.strides.end() - 1, 0);
  return operand;
}

}  // namespace

std::uint64_t elements_of(const Extents& extents) {
  return static_cast<std::uint64_t>(element_count(extents));
}
std::uint64_t rows_of(const Extents& extents) {
  return elements_of(extents) / static_cast<std::uint64_t>(std::max<std::int64_t>(extents.back(), 1));
}

void RowCalls::operator()(const Elementwise& operation) {
  static constexpr const char* kNames[] = {"x", "y", "z"};
  const unsigned count = inputs_of(operation.function);
  const ElementType first = type(op_.inputs[count == 3 ? 1 : 0]);
  for (unsigned i = 1; i < count; ++i)
    if (const ElementType one = type(op_.inputs[i]); one != first)
      throw NoKernel(fmt::format("no kernel has operands of {} and {}", name_of(first), name_of(one)));
  const bool is_copy = operation.function == Function::kIdentity ||
                       (operation.function == Function::kCast && type(op_.inputs[0]) == type(op_.outputs[0]));
  Call call = is_copy ? copy(op_.outputs[0], op_.inputs[0])
                      : base(operator_of(operation.function), op_.outputs[0], op_.inputs[count == 3 ? 1 : 0]);
  if (operation.function == Function::kWhere) call.format = bits_of(first);
  if (operation.function == Function::kCast && !is_copy)
    call.format = fmt::format("{}_{}", name_of(type(op_.inputs[0])), name_of(type(op_.outputs[0])));
  call.operands.clear();
  for (unsigned i = 0; i < count; ++i)
    call.operands.push_back(
        {count == 3 && i == 0 ? "condition" : kNames[count == 3 ? i - 1 : i], op_.inputs[i], {}});
  call.scalars = {{"alpha", operation.alpha},
                  {"beta", operation.beta},
                  {"least", operation.alpha},
                  {"most", operation.beta}};
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const Copy&) {
  for (std::size_t i = 0; i < op_.outputs.size(); ++i)
    if (element_count(op_.outputs[i].extents) != 0) calls_.push_back(copy(op_.outputs[i], op_.inputs[i]));
}

void RowCalls::operator()(const Softmax& softmax) {
  const Extents& extents = op_.outputs[0].extents;
  Call call = base(softmax.logarithm ? "LogSoftmax" : "Softmax", op_.outputs[0], op_.inputs[0]);
  call.operands.push_back({"x", op_.inputs[0], {}});
  if (op_.inputs.size() > 1 && op_.inputs[1].given() && !softmax.causal)
    call.operands.push_back({"mask", op_.inputs[1], {}});
  call.scalars = {{"scale", softmax.scale}};
  call.integers = {{"causal", softmax.causal ? 1 : 0}};
  if (softmax.causal)
    call.integers["first"] = static_cast<double>(extents.back() - extents[extents.size() - 2]);
  call.items = rows_of(extents);
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const GroupNorm& norm) {
  Call call = base("GroupNorm", op_.outputs[0], op_.inputs[0]);
  add_factors(call, norm.epsilon, true, false);
  call.items = static_cast<std::uint64_t>(op_.outputs[0].extents[0] * op_.outputs[0].extents[1]);
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const Reduce& reduce) {
  using Operation = Reduce::Operation;
  if (reduce.operation == Operation::kArgMax || reduce.operation == Operation::kArgMin) {
    Operand place = op_.outputs[0];  // the first of one
    place.extents.push_back(1);
    place.strides.push_back(0);
    SelectionCalls selection(op_, memory_);
    selection.select(Operand(), place, 1, reduce.operation == Operation::kArgMax);
    return append(std::move(selection).take());
  }
  Operand result = op_.outputs[0];  // one element for each row, along no axis
  result.extents.push_back(1);
  result.strides.push_back(0);
  Call call = base(operator_of(reduce.operation), as_rows(result), op_.inputs[0]);
  call.operands.push_back({"x", as_rows(op_.inputs[0]), {}});
  call.extents = call.operands[0].operand.extents;
  call.items = rows_of(op_.inputs[0].extents);
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const Rotary& rotary) {
  static constexpr const char* kNames[] = {"x", "cos", "sin"};
  Call call = base("RotaryEmbedding", op_.outputs[0], op_.inputs[0]);
  const auto pairs = [&](Operand operand, const std::string& integer) {
    const std::int64_t stride = operand.strides.back(), half = operand.extents.back() / 2;
    call.integers["pair_of_" + integer] = static_cast<double>(rotary.interleaved ? stride : half * stride);
    operand.extents.back() = half;
    operand.strides.back() = rotary.interleaved ? 2 * stride : stride;
    return operand;
  };
  call.result = pairs(call.result, "result");
  for (std::size_t i = 0; i < 3; ++i)
    call.operands.push_back({kNames[i], pairs(op_.inputs[i], kNames[i]), {}});
  call.extents = call.result.extents;
  call.items = elements_of(call.extents);
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const CumulativeSum& operation) {
  Call call = base("CumulativeSum", op_.outputs[0], op_.inputs[0]);
  call.operands.push_back({"x", op_.inputs[0], {}});
  call.integers = {{"exclusive", operation.exclusive ? 1 : 0}};
  call.items = rows_of(op_.inputs[0].extents);
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const LstmCell&) {
  const Operand &gates = op_.inputs[0], &cells = op_.inputs[1];
  Call call = base("LstmCell", op_.outputs[0], gates);
  call.operands = {{"gates", {gates.tensor, gates.offset, cells.extents, gates.strides}, {}},
                   {"cells", cells, {}},
                   {"next_cells", op_.outputs[1], {}}};
  call.integers = {{"gate_stride", static_cast<double>(cells.extents[1] * gates.strides[1])}};
  calls_.push_back(std::move(call));
}

void RowCalls::operator()(const GruCell& cell) {
  const Operand &of_x = op_.inputs[0], &of_state = op_.inputs[1], &state = op_.inputs[2];
  const auto hidden = static_cast<double>(state.extents[1]);
  Call call = base("GruCell", op_.outputs[0], of_x);
  call.operands = {
      {"gates_of_x", {of_x.tensor, of_x.offset, state.extents, of_x.strides}, {}},
      {"gates_of_state", {of_state.tensor, of_state.offset, state.extents, of_state.strides}, {}},
      {"state", state, {}}};
  call.integers = {{"gate_stride_of_x", hidden * static_cast<double>(of_x.strides[1])},
                   {"gate_stride_of_state", hidden * static_cast<double>(of_state.strides[1])},
                   {"resets", cell.resets ? 1 : 0}};
  calls_.push_back(std::move(call));
}

Call OperatorCalls::base(std::string op, const Operand& result, const Operand& of_format) const {
  Call call;
  call.op = std::move(op);
  call.format = name_of(type(of_format));
  call.extents = result.extents;
  call.result = result;
  call.items = elements_of(result.extents);
  return call;
}

Call OperatorCalls::copy(const Operand& result, const Operand& from) const {
  Call call = base("Copy", result, from);
  call.format = bits_of(type(from));
  call.operands.push_back({"x", from, {}});
  return call;
}

void RowCalls::requantise(const char* name) {
  const Operand &x = op_.inputs[0], &y = op_.outputs[0];
  Call call = base(name, y, x);
  call.format = fmt::format("{}_{}", name_of(type(x)), name_of(type(y)));
  call.operands = {{"x", x, {}}, {"scale", op_.inputs[1], {}}};
  if (op_.inputs.size() > 2 && op_.inputs[2].given()) call.operands.push_back({"zero", op_.inputs[2], {}});
  else call.operands.push_back({"zero", {}, memory_.zero});
  calls_.push_back(std::move(call));
}

void RowCalls::rows(const char* name, double epsilon, bool has_bias) {
  Call call = base(name, as_rows(op_.outputs[0]), op_.inputs[0]);
  call.extents = call.result.extents;
  add_factors(call, epsilon, has_bias, true);
  call.items = rows_of(op_.outputs[0].extents);
  calls_.push_back(std::move(call));
}

void RowCalls::add_factors(Call& call, double epsilon, bool has_bias, bool adds_axis) const {
  const auto shaped = [&](const Operand& operand) { return adds_axis ? as_rows(operand) : operand; };
  const auto add = [&](const char* name, std::size_t i, std::uint64_t otherwise) {
    if (i < op_.inputs.size() && op_.inputs[i].given())
      call.operands.push_back({name, shaped(op_.inputs[i]), {}});
    else call.operands.push_back({name, {}, otherwise});
  };
  call.operands.push_back({"x", shaped(op_.inputs[0]), {}});
  add("scale", 1, memory_.ones.at(type(op_.inputs[0])));
  if (has_bias) add("bias", 2, memory_.zero);
  call.scalars = {{"epsilon", epsilon}};
}

std::vector<Call> calls_of(const Operator& op, const KernelMemory& memory) {
  const auto made_by = [](auto calls, const auto& parameters) {
    calls(parameters);
    return std::move(calls).take();
  };
  return std::visit(
      [&](const auto& parameters) {
        using Own = decltype(parameters);
        if constexpr (std::is_invocable_v<ProductCalls&, Own>)
          return made_by(ProductCalls(op, memory), parameters);
        else if constexpr (std::is_invocable_v<SelectionCalls&, Own>)
          return made_by(SelectionCalls(op, memory), parameters);
        else return made_by(RowCalls(op, memory), parameters);
      },
      op.parameters);
}

}  // namespace spica::network
