// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/soc/built_for.h"
#include "platform/workloads/network_run/kernel_catalogue.h"

namespace spica::network {

namespace {

constexpr std::uint64_t kLine = 64;

/// Behind the argument block, in front of the stacks of threads, in one range of main memory.
DataRegion region_for_data(job::Job& job) {
  constexpr std::uint64_t kBegin = loader::kArgumentBlockAddress + 0x1'0000;
  const soc::SocParams& params = job.params();
  DataRegion region{kBegin, params.main_memory.base + params.main_memory.size};
  region.end = std::min(region.end, params.cluster.memory_map.shared_base);
  const soc::StackRegion stacks(job.program(), params);
  if (stacks.end > kBegin) region.end = std::min(region.end, stacks.begin);
  region.end = std::max(region.begin, region.end);
  return region;
}

std::vector<unsigned char> bytes_of(const NetworkArguments& arguments) {
  std::vector<unsigned char> bytes(sizeof arguments);
  std::memcpy(bytes.data(), &arguments, sizeof arguments);
  return bytes;
}

/// Calls visit(operator, launch) for all launches. Throws UserError with all operators that have no kernel.
template <class Visit>
void each_launch(const Network& network, const KernelMemory& memory, const KernelCatalogue& kernels,
                 const soc::SocParams& machine, Visit&& visit) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    try {
      for (const KernelLaunch& launch : launches_of(op, memory, kernels, machine)) visit(i, launch);
    } catch (const NoKernel& problem) {
      problems.push_back(
          fmt::format("node '{}' ({}): {}", input::printable(op.name), op.type(), problem.what()));
    }
  }
  if (problems.empty()) return;
  throw input::UserError(fmt::format("{}: {} of {} operators have no kernel:\n{}",
                                     input::printable(network.graph.file), problems.size(),
                                     network.operators.size(), fmt::join(problems, "\n")));
}

/// Places that only have types: for what does not depend on addresses.
KernelMemory types_of(const Network& network, ElementType format) {
  KernelMemory memory;
  for (const Tensor& tensor : network.tensors)
    memory.places.push_back({stored_as(tensor.type, format), 0, 0, 0});
  return memory;
}

/// The operands A and B of a product, or of a convolution that is one.
std::vector<Operand> matrices_of(const Operator& op) {
  if (std::holds_alternative<Product>(op.parameters)) return {op.inputs[0], op.inputs[1]};
  if (!std::holds_alternative<Convolution>(op.parameters)) return {};
  Operand pictures = op.inputs[0], weights = op.inputs[1];
  pictures.extents = {pictures.extents[0], pictures.extents[1], pictures.extents[2] * pictures.extents[3]};
  pictures.strides = {pictures.strides[0], pictures.strides[1], pictures.strides[3]};
  const Extents &e = weights.extents, &s = weights.strides;
  weights.extents = {e[0], e[1] * e[2] * e[3]};
  weights.strides = {s[0], e[3] != 1 ? s[3] : e[2] != 1 ? s[2] : s[1]};
  return {pictures, weights};
}

/// Elements behind each tensor that kernels of products read.
std::vector<std::uint64_t> room(const Network& network, const KernelCatalogue& kernels, ElementType format,
                                const soc::SocParams& machine) {
  std::vector<std::uint64_t> room(network.tensors.size());
  each_launch(
      network, types_of(network, format), kernels, machine, [&](std::size_t i, const KernelLaunch& launch) {
        if (launch.tile == 1) return;
        for (const Operand& matrix : matrices_of(network.operators[i]))
          room[matrix.tensor] =
              std::max(room[matrix.tensor], room_behind(matrix, network.tensors[matrix.tensor], launch.tile));
      });
  return room;
}

/// The printable names of operators; of equal ones, later ones have a number.
std::vector<std::string> labels_of(const Network& network) {
  std::vector<std::string> labels;
  std::map<std::string, unsigned> seen;
  for (const Operator& op : network.operators) {
    const std::string name = input::printable(op.name);
    const unsigned number = ++seen[name];
    labels.push_back(number == 1 ? name : fmt::format("{} ({})", name, number));
  }
  return labels;
}

}  // namespace

NetworkJob::NetworkJob(job::Job& job, const Network& network, const KernelCatalogue& kernels,
                       const std::map<std::size_t, Constant>& inputs, ElementType format, bool blocks_once)
    : job_(job), network_(network), labels_(labels_of(network)), differences_(network.operators.size()) {
  DataRegion region = region_for_data(job);
  memory_.one = region.begin;
  memory_.zero = region.begin + bytes_of(format);
  region.begin += kLine;
  memory_.places = place_tensors(network, format, room(network, kernels, format, job.params()), region);
  if (blocks_once) blocks_ = blocks_of_launches(kernels);
  const std::vector<session::Stream> streams{stream(kernels)};
  write_numbers(format);
  write_tensors(inputs);
  if (blocks_.count != 0) write_results_of_blocks();
  job.run_streams(session::plan_streams(streams, job.program(), job.params()));
}

void NetworkJob::write_numbers(ElementType format) {
  ConstantBuilder numbers(format, {2});
  numbers.set(0, 1.0);
  numbers.set(1, 0.0);
  const Constant bytes = std::move(numbers).finish();
  job_.write(memory_.one, bytes.data, bytes.bytes());
}

void NetworkJob::write_tensors(const std::map<std::size_t, Constant>& inputs) {
  for (std::size_t i = 0; i < network_.tensors.size(); ++i) {
    const Tensor& tensor = network_.tensors[i];
    const std::string name = input::printable(tensor.name);
    const Place& place = memory_.places[i];
    job_.name_buffer(name, place.address, place.bytes + place.room);
    if (const std::vector<unsigned char> zeros(place.room); !zeros.empty())
      job_.write(place.address + place.bytes, zeros.data(), zeros.size());
    const auto given = inputs.find(i);
    const Constant* const values = tensor.constant         ? &*tensor.constant
                                   : given != inputs.end() ? &given->second
                                                           : nullptr;
    if (values == nullptr || memory_.places[i].bytes == 0) continue;
    try {
      const std::vector<unsigned char> bytes = stored(*values, memory_.places[i].type);
      job_.write(memory_.places[i].address, bytes.data(), bytes.size());
    } catch (const input::UserError& error) {
      throw input::UserError(fmt::format("tensor '{}': {}", name, error.what()));
    }
  }
}

/// Work groups of a kernel that run at once on the whole machine.
std::uint64_t NetworkJob::resident(const session::GridRequest& kernel) const {
  const auto launch = session::grid_launch(kernel, job_.program(), job_.params());
  return std::max<std::uint64_t>(job_.params().occupancy(*launch), 1) * job_.params().clusters;
}

/// Operators are equal if their launches are, but for addresses.
Blocks NetworkJob::blocks_of_launches(const KernelCatalogue& kernels) const {
  std::vector<std::string> keys(network_.operators.size());
  each_launch(network_, memory_, kernels, job_.params(), [&](std::size_t i, const KernelLaunch& launch) {
    NetworkArguments arguments = launch.arguments;
    for (std::uint32_t& address : arguments.address) address = address != 0 ? 1 : 0;
    const std::vector<unsigned char> bytes = bytes_of(arguments);
    keys[i] += launch.kernel + std::string(bytes.begin(), bytes.end());
  });
  return find_blocks(keys);
}

/// Tensors that operators which do not run would have written, and that others read or users want.
void NetworkJob::write_results_of_blocks() {
  std::set<std::size_t> written, wanted;
  for (std::size_t i = 0; i < network_.operators.size(); ++i) {
    const Operator& op = network_.operators[i];
    const bool runs = blocks_.equal_to(i) == kNone;
    for (const Operand& operand : runs ? op.inputs : op.outputs)
      (runs ? wanted : written).insert(operand.tensor);
  }
  for (const Port& port : network_.outputs) wanted.insert(port.operand.tensor);
  std::set<std::size_t> kept;
  std::set_intersection(written.begin(), written.end(), wanted.begin(), wanted.end(),
                        std::inserter(kept, kept.end()));
  kept.erase(kNone);
  ReferenceRun reference(network_, [this](std::size_t tensor) { return in_memory(tensor); });
  if (!reference.run(kept))
    throw input::UserError(fmt::format("{}: --blocks once needs a reference of all operators",
                                       input::printable(network_.graph.file)));
  for (const std::size_t tensor : kept) {
    const std::vector<unsigned char> bytes = stored(reference.tensor(tensor), memory_.places[tensor].type);
    job_.write(memory_.places[tensor].address, bytes.data(), bytes.size());
  }
}

session::Stream NetworkJob::stream(const KernelCatalogue& kernels) {
  session::Stream stream{"network", {}, {}};
  each_launch(network_, memory_, kernels, job_.params(), [&](std::size_t i, const KernelLaunch& launch) {
    if (blocks_.equal_to(i) != kNone) return;
    session::StreamStep step;
    step.kernel = {launch.kernel, "1", ""};
    step.kernel.grid = fmt::format("{}", std::min(launch.groups, resident(step.kernel)));
    step.label = labels_[i];
    step.arguments = bytes_of(launch.arguments);
    stream.steps.push_back(std::move(step));
    operators_.push_back(i);
  });
  return stream;
}

const KernelFile& NetworkJob::program(const Network& network, const KernelCatalogue& kernels,
                                      ElementType format, const soc::SocParams& machine) {
  std::vector<const KernelFile*> files;
  each_launch(network, types_of(network, format), kernels, machine,
              [&](std::size_t, const KernelLaunch& launch) { files.push_back(launch.file); });
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (files.empty())
    throw input::UserError(fmt::format("{}: nothing to compute", input::printable(network.graph.file)));
  try {
    return KernelCatalogue::program_of(files);
  } catch (const NoKernel& problem) {
    throw input::UserError(fmt::format("{}: {}", input::printable(network.graph.file), problem.what()));
  }
}

Constant NetworkJob::in_memory(std::size_t tensor) const {
  const Place& place = memory_.places[tensor];
  auto bytes = std::make_shared<std::vector<unsigned char>>(place.bytes);
  if (place.bytes != 0) job_.read(place.address, bytes->data(), bytes->size());
  Constant values;
  values.type = place.type;
  values.extents = network_.tensors[tensor].extents;
  values.data = bytes->data();
  values.owner = std::move(bytes);
  return values;
}

void NetworkJob::check() {
  const ReadTensor read = [this](std::size_t tensor) { return in_memory(tensor); };
  for (std::size_t i = 0; i < network_.operators.size(); ++i)
    if (blocks_.equal_to(i) == kNone)
      differences_[i] = check_operator(network_.operators[i], read,
                                       std::count(operators_.begin(), operators_.end(), i) > 1);
}

std::vector<double> NetworkJob::output(const Port& port) const {
  return values_of(port.operand, in_memory(port.operand.tensor));
}

std::vector<NetworkJob::Result> NetworkJob::results() const {
  std::vector<Result> results;
  for (std::size_t i = 0; i < network_.operators.size(); ++i)
    results.push_back({network_.operators[i].name, network_.operators[i].type(), 0, 0, false,
                       network_.operators[i].name, differences_[i]});
  std::vector<base::Cycle> begun(results.size(), base::kNever);
  for (const protocol::KernelRun& run : job_.kernel_runs()) {
    if (run.queue != 0 || run.packet >= operators_.size()) continue;
    Result& result = results[operators_[run.packet]];
    base::Cycle& begin = begun[operators_[run.packet]];
    begin = std::min(begin, run.launched);
    ++result.launches;
    if (run.ended != base::kNever) result.cycles = std::max(result.cycles, run.ended - begin);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t equal = blocks_.equal_to(i);
    if (equal == kNone) continue;
    results[i].is_reused = true;
    results[i].label = results[equal].label;
    results[i].launches = results[equal].launches;
    results[i].cycles = results[equal].cycles;
  }
  return results;
}

std::uint64_t NetworkJob::bytes() const {
  return memory_.places.empty()
             ? 0
             : memory_.places.back().address + memory_.places.back().bytes - memory_.places.front().address;
}

}  // namespace spica::network
