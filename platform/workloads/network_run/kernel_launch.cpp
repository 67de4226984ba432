// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/kernel_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/workloads/network_run/kernel_calls.h"
#include "platform/workloads/network_run/kernel_catalogue.h"

namespace spica::network {

namespace {

/// Adds axes with one element in front, or refuses more than the argument block has.
Extents six(const Extents& extents, std::int64_t fill) {
  if (extents.size() > NETWORK_RANK)
    throw NoKernel(fmt::format("{} axes; kernels have {}", extents.size(), +NETWORK_RANK));
  Extents all(NETWORK_RANK - extents.size(), fill);
  all.insert(all.end(), extents.begin(), extents.end());
  return all;
}

/// The argument block of a kernel for a call.
class Block {
 public:
  Block(const Call& call, const KernelEntry& entry, const KernelMemory& memory) : memory_(memory) {
    const Extents all = six(call.extents, 1);
    for (std::size_t i = 0; i < NETWORK_RANK; ++i) block_.extents[i] = static_cast<std::uint32_t>(all[i]);
    if (call.result.given()) put(0, call.result);
    for (const Call::Named& one : call.operands) {
      const auto at = std::find(entry.operands.begin(), entry.operands.end(), one.name);
      const auto i = static_cast<std::size_t>(at - entry.operands.begin()) + 1;
      if (one.constant) block_.address[i] = static_cast<std::uint32_t>(*one.constant);
      else put(i, one.operand);
    }
    for (std::size_t i = 0; i < entry.integers.size(); ++i)
      block_.integers[i] = static_cast<std::int32_t>(value(call.integers, entry.integers[i]));
    for (std::size_t i = 0; i < entry.scalars.size(); ++i)
      block_.scalars[i] = static_cast<float>(value(call.scalars, entry.scalars[i]));
  }

  const NetworkArguments& get() const { return block_; }

 private:
  static double value(const std::map<std::string, double>& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
  }

  void put(std::size_t i, const Operand& operand) {
    const Place& place = memory_.places[operand.tensor];
    const auto bytes = static_cast<std::int64_t>(bytes_of(place.type));
    block_.address[i] =
        static_cast<std::uint32_t>(static_cast<std::int64_t>(place.address) + operand.offset * bytes);
    const Extents strides = six(operand.strides, 0);
    for (std::size_t axis = 0; axis < NETWORK_RANK; ++axis)
      block_.strides[i][axis] = static_cast<std::int32_t>(strides[axis]);
  }

  const KernelMemory& memory_;
  NetworkArguments block_{};
};

std::uint64_t groups_for(std::uint64_t items, const KernelEntry& entry) {
  const auto share = [](std::uint64_t all, std::uint64_t part) { return (all + part - 1) / part; };
  return std::max<std::uint64_t>(share(share(items, entry.piece), entry.side_by_side), 1);
}

/// What becomes of a call.
struct Added {
  bool is_chosen = false;       // by a kernel of the choice
  bool lacks_function = false;  // that behind it needs a launch of its own
};

/// Appends the launch of a call. Throws NoKernel.
Added add_launch(const Call& call, const KernelMemory& memory, const KernelCatalogue& kernels,
                 const soc::SocParams& machine, const KernelChoice& choice,
                 std::vector<KernelLaunch>& launches) {
  KernelWish wish{call.op, call.format, {}, call.facts, choice};
  for (const Call::Named& one : call.operands) wish.operands.push_back(one.name);
  wish.facts.emplace("columns", call.extents.empty() ? 1.0 : static_cast<double>(call.extents.back()));
  const bool has_function = call.function.function != Function::kIdentity;
  if (has_function) wish.op += operator_of(call.function.function);
  const bool in_steps = has_function && !kernels.has(wish);
  if (in_steps) wish.op = call.op;
  const KernelCatalogue::Found found = kernels.find(wish, machine);
  launches.push_back({found.kernel,
                      found.file,
                      found.entry->tile,
                      {},
                      groups_for(call.items, *found.entry),
                      Block(call, *found.entry, memory).get()});
  if (found.entry->tile != 1)
    for (const Call::Named& one : call.operands)
      if (one.is_tiled) launches.back().tiled.push_back(one.operand);
  return {kernels.offers(choice, wish.op), in_steps};
}

/// Behind a product or convolution.
const Elementwise& function_of(const Operator& op) {
  const auto* product = std::get_if<Product>(&op.parameters);
  return product != nullptr ? product->function : std::get<Convolution>(op.parameters).function;
}

}  // namespace

KernelMemory numbers_at(std::uint64_t begin) {
  KernelMemory memory;
  memory.zero = begin;
  for (const ElementType format : kNumberFormats) memory.ones[format] = begin += sizeof(float);
  return memory;
}

KernelMemory types_of(const Network& network) {
  constexpr std::uint64_t kSomewhere = 64;
  KernelMemory memory = numbers_at(0);
  for (const Tensor& tensor : network.tensors)
    memory.places.push_back({stored_as(tensor.type), kSomewhere, 0, 0});
  return memory;
}

void add_missing_kernels(const Network& network, const KernelCatalogue& kernels,
                         const soc::SocParams& machine, Problems& problems) {
  const KernelMemory memory = types_of(network);
  for (const Operator& op : network.operators) {
    try {
      (void)launches_of(op, memory, kernels, machine, {});
    } catch (const NoKernel& problem) {
      problems.add(op.name, op.type(), problem.what());
    }
  }
}

std::vector<KernelLaunch> launches_of(const Operator& op, const KernelMemory& memory,
                                      const KernelCatalogue& kernels, const soc::SocParams& machine,
                                      const KernelChoice& choice) {
  std::vector<KernelLaunch> launches;
  bool is_used = choice.empty(), lacks_function = false;
  for (const Call& call : calls_of(op, memory)) {
    const auto fits = [&](const Call& one) {
      std::vector<KernelLaunch> some;
      try {
        const Added added = add_launch(one, memory, kernels, machine, choice, some);
        if (!added.is_chosen) return false;
        lacks_function = lacks_function || added.lacks_function;
      } catch (const NoKernel&) {
        return false;
      }
      launches.insert(launches.end(), some.begin(), some.end());
      is_used = true;
      return true;
    };
    if (std::any_of(call.instead.begin(), call.instead.end(), fits)) continue;
    const Added added = add_launch(call, memory, kernels, machine, choice, launches);
    is_used = is_used || added.is_chosen;
    lacks_function = lacks_function || added.lacks_function;
  }
  if (!is_used)
    throw NoKernel(fmt::format("{} has no kernel for it", choice.design.empty()
                                                              ? fmt::format("'{}'", choice.kernel)
                                                              : fmt::format("design '{}'", choice.design)));
  if (!lacks_function) return launches;
  // In place, by a launch of its own.
  const Operator function{op.name, {}, function_of(op), {op.outputs[0]}, {op.outputs[0]}};
  for (KernelLaunch& launch : launches_of(function, memory, kernels, machine, {}))
    launches.push_back(std::move(launch));
  return launches;
}

}  // namespace spica::network
