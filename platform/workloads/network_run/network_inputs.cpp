// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::network {

namespace {

/// The indices of an operator: the number of the input, and the smallest extent that they are for.
std::optional<std::pair<std::size_t, std::int64_t>> indices_of(const Operator& op) {
  const auto least = [](const Extents& extents, std::size_t first, std::int64_t count) {
    const auto begin = extents.begin() + static_cast<std::ptrdiff_t>(first);
    return *std::min_element(begin, begin + count);
  };
  if (op.inputs.empty()) return std::nullopt;
  const Extents& data = op.inputs[0].extents;
  const auto pair = [](std::size_t input, std::int64_t extent) { return std::pair(input, extent); };
  if (std::holds_alternative<Gather>(op.parameters)) return pair(1, data[1]);
  if (const auto* gather = std::get_if<GatherElements>(&op.parameters))
    return pair(1, data[static_cast<std::size_t>(gather->axis)]);
  if (const auto* gather = std::get_if<GatherNd>(&op.parameters))
    return pair(1, least(data, static_cast<std::size_t>(gather->batch), op.inputs[1].extents.back()));
  if (const auto* scatter = std::get_if<Scatter>(&op.parameters))
    return pair(1, scatter->elements ? data[static_cast<std::size_t>(scatter->axis)]
                                     : least(data, 0, op.inputs[1].extents.back()));
  if (const auto* one_hot = std::get_if<OneHot>(&op.parameters))
    return pair(0, op.outputs[0].extents[static_cast<std::size_t>(one_hot->axis)]);
  return std::nullopt;
}

/// Rows of the smallest table of which an input has indices; empty: it has none.
std::optional<std::int64_t> rows_for(const Network& network, std::size_t tensor) {
  std::optional<std::int64_t> limit;
  for (const Operator& op : network.operators) {
    const auto indices = indices_of(op);
    if (!indices || op.inputs[indices->first].tensor != tensor) continue;
    limit = limit ? std::min(*limit, indices->second) : indices->second;
  }
  return limit;
}

/// Integers of an input are below this.
std::uint64_t limit_of(const Network& network, std::size_t tensor) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(rows_for(network, tensor).value_or(2), 1));
}

/// The first index that a table has no row for; empty: none.
std::optional<std::int64_t> wrong_index(const Network& network, std::size_t tensor, const Constant& values) {
  const auto rows = rows_for(network, tensor);
  for (std::int64_t i = 0; rows && i < values.elements(); ++i)
    if (const std::int64_t index = values.integer_at(i); index < -*rows || index >= *rows) return index;
  return std::nullopt;
}

/// Numbers of our own from the generator's bits: distributions of the library differ from one to the other.
Constant random_values(const Network& network, std::size_t tensor, std::uint64_t seed) {
  const Tensor& of = network.tensors[tensor];
  std::mt19937_64 bits(seed + (std::uint64_t{tensor + 1} << 32));
  ConstantBuilder builder(of.type, of.extents);
  const std::int64_t count = element_count(of.extents);
  const std::uint64_t limit = of.type == ElementType::kBool ? 2 : limit_of(network, tensor);
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_floating(of.type)) builder.set(i, static_cast<double>(bits() >> 40) * 0x1p-23 - 1);
    else builder.set(i, static_cast<std::int64_t>((bits() >> 32) * limit >> 32));
  }
  return std::move(builder).finish();
}

Constant converted(const Constant& values, ElementType type) {
  ConstantBuilder builder(type, values.extents);
  for (std::int64_t i = 0; i < values.elements(); ++i) {
    if (is_floating(values.type)) builder.set(i, values.number_at(i));
    else builder.set(i, values.integer_at(i));
  }
  return std::move(builder).finish();
}

}  // namespace

std::map<std::size_t, Constant> network_inputs(const Network& network,
                                               const std::map<std::string, Constant>& given,
                                               std::uint64_t seed) {
  std::map<std::size_t, Constant> inputs;
  std::vector<std::string> names, problems;
  for (const Port& port : network.inputs) {
    names.push_back(port.name);
    const Tensor& tensor = network.tensors[port.operand.tensor];
    const auto found = given.find(port.name);
    if (found == given.end()) {
      inputs[port.operand.tensor] = random_values(network, port.operand.tensor, seed);
    } else if (found->second.extents != tensor.extents) {
      problems.push_back(fmt::format("array '{}' is {}; the input is {}", input::printable(port.name),
                                     extents_text(found->second.extents), extents_text(tensor.extents)));
    } else if (is_floating(found->second.type) != is_floating(tensor.type)) {
      problems.push_back(fmt::format("array '{}' has elements of {}; the input has {}",
                                     input::printable(port.name), name_of(found->second.type),
                                     name_of(tensor.type)));
    } else if (const auto index = wrong_index(network, port.operand.tensor, found->second)) {
      problems.push_back(fmt::format("array '{}' has the index {}; its table has {} rows",
                                     input::printable(port.name), *index,
                                     *rows_for(network, port.operand.tensor)));
    } else {
      inputs[port.operand.tensor] = converted(found->second, tensor.type);
    }
  }
  for (const Port& port : network.outputs) names.push_back(port.name);  // a file may have both
  for (const auto& [name, array] : given)
    if (std::find(names.begin(), names.end(), name) == names.end())
      problems.push_back(fmt::format("no input is called '{}'; there are {}", input::printable(name),
                                     fmt::join(names, ", ")));
  if (!problems.empty()) throw input::UserError(fmt::format("--inputs: {}", fmt::join(problems, "\n")));
  return inputs;
}

}  // namespace spica::network
