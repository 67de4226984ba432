// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/soc/built_for.h"
#include "platform/workloads/network_run/kernel_catalogue.h"

namespace spica::network {

namespace {

constexpr std::uint64_t kLine = 64;

bool contains(const std::vector<OperatorRange>& ranges, std::size_t op) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [op](const OperatorRange& one) { return one.contains(op); });
}

std::vector<OperatorRange> all_of(const Network& network) { return {{0, network.operators.size()}}; }

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

/// Calls visit(operator, launch) for all launches of the operators of `ranges`. Throws UserError with all of them that have
/// no kernel.
template <class Visit>
void visit_launches(const Network& network, const std::vector<OperatorRange>& ranges,
                    const KernelMemory& memory, const KernelPlan& kernels, const soc::SocParams& machine,
                    Visit&& visit) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    if (!contains(ranges, i)) continue;
    const Operator& op = network.operators[i];
    try {
      for (const KernelLaunch& launch :
           launches_of(op, memory, kernels.catalogue, machine, kernels.choices[i]))
        visit(i, launch);
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

NetworkJob::NetworkJob(job::Job& job, const Network& network, const KernelPlan& kernels,
                       std::map<std::size_t, Constant> given, std::vector<OperatorRange> runs)
    : job_(job),
      network_(network),
      given_(std::move(given)),
      runs_(std::move(runs)),
      labels_(labels_of(network)),
      differences_(network.operators.size()) {
  DataRegion region = region_for_data(job);
  memory_ = numbers_at(region.begin);
  region.begin += kLine;
  memory_.places = place_tensors(network, used_tensors(), room(kernels), region);
  const std::vector<session::Stream> streams{stream(kernels)};
  write_numbers();
  write_tensors();
  job.run_streams(session::plan_streams(streams, job.program(), job.params()));
}

bool NetworkJob::runs(std::size_t op) const { return contains(runs_, op); }

template <class Visit>
void NetworkJob::each_launch(const KernelPlan& kernels, const KernelMemory& memory, Visit&& visit) const {
  visit_launches(network_, runs_, memory, kernels, job_.params(), visit);
}

std::vector<bool> NetworkJob::used_tensors() const {
  std::vector<bool> used(network_.tensors.size());
  for (std::size_t i = 0; i < network_.operators.size(); ++i) {
    if (!runs(i)) continue;
    for (const auto* operands : {&network_.operators[i].inputs, &network_.operators[i].outputs})
      for (const Operand& operand : *operands)
        if (operand.given()) used[operand.tensor] = true;
  }
  return used;
}

/// Elements behind each tensor that kernels of products read.
std::vector<std::uint64_t> NetworkJob::room(const KernelPlan& kernels) const {
  std::vector<std::uint64_t> room(network_.tensors.size());
  each_launch(kernels, types_of(network_), [&](std::size_t, const KernelLaunch& launch) {
    for (const Operand& matrix : launch.tiled)
      room[matrix.tensor] =
          std::max(room[matrix.tensor], room_behind(matrix, network_.tensors[matrix.tensor], launch.tile));
  });
  return room;
}

void NetworkJob::write_numbers() {
  for (const ElementType format : kNumberFormats) {
    ConstantBuilder one(format, {1});
    one.set(0, 1.0);
    const Constant bytes = std::move(one).finish();
    job_.write(memory_.ones[format], bytes.data, bytes.bytes());
  }
}

void NetworkJob::write_tensors() {
  for (std::size_t i = 0; i < network_.tensors.size(); ++i) {
    const Place& place = memory_.places[i];
    if (!place.is_used) continue;
    const std::string name = input::printable(network_.tensors[i].name);
    job_.name_buffer(name, place.address, place.bytes + place.room);
    if (const std::vector<unsigned char> zeros(place.room); !zeros.empty())
      job_.write(place.address + place.bytes, zeros.data(), zeros.size());
    if (place.bytes == 0 || (!network_.tensors[i].constant && given_.count(i) == 0)) continue;
    const Constant values = given(i);
    job_.write(place.address, values.data, values.bytes());
  }
}

Constant NetworkJob::given(std::size_t tensor) const {
  const Tensor& of = network_.tensors[tensor];
  try {
    return stored(of.constant ? *of.constant : given_.at(tensor), memory_.places[tensor].type);
  } catch (const input::UserError& error) {
    throw input::UserError(fmt::format("tensor '{}': {}", input::printable(of.name), error.what()));
  }
}

/// Work groups of a kernel that run at once on the whole machine.
std::uint64_t NetworkJob::resident(const session::GridRequest& kernel) const {
  const auto launch = session::grid_launch(kernel, job_.program(), job_.params());
  return std::max<std::uint64_t>(job_.params().occupancy(*launch), 1) * job_.params().clusters;
}

session::Stream NetworkJob::stream(const KernelPlan& kernels) {
  session::Stream stream{"network", {}, {}};
  each_launch(kernels, memory_, [&](std::size_t i, const KernelLaunch& launch) {
    session::StreamStep step;
    step.kernel = {launch.kernel, "1", ""};
    step.kernel.grid = fmt::format("{}", std::min(launch.groups, resident(step.kernel)));
    step.label = labels_[i];
    step.arguments = bytes_of(launch.arguments);
    stream.steps.push_back(std::move(step));
    launches_.push_back({i, launch.file->name, launch.kernel, launch.file->rounds_sums});
  });
  return stream;
}

const KernelFile& NetworkJob::program(const Network& network, const KernelPlan& kernels,
                                      const soc::SocParams& machine) {
  std::vector<const KernelFile*> files;
  visit_launches(network, all_of(network), types_of(network), kernels, machine,
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
  if (!place.is_used) return given(tensor);
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
  std::vector<StoredSums> stored(network_.operators.size());
  std::vector<unsigned> launches(network_.operators.size());
  for (const Launch& launch : launches_) {
    stored[launch.op].in_steps = ++launches[launch.op] > 1;
    stored[launch.op].by_unit = stored[launch.op].by_unit || launch.rounds_sums;
  }
  for (std::size_t i = 0; i < network_.operators.size(); ++i)
    if (runs(i)) differences_[i] = check_operator(network_.operators[i], read, stored[i]);
}

std::vector<double> NetworkJob::output(const Port& port) const {
  return values_of(port.operand, in_memory(port.operand.tensor));
}

std::vector<NetworkJob::Result> NetworkJob::results() const {
  std::vector<Result> results(network_.operators.size());
  for (std::size_t i = 0; i < results.size(); ++i) results[i].label = labels_[i];
  for (const Launch& launch : launches_) {
    Result& result = results[launch.op];
    ++result.launches;
    if (result.design.empty()) result.design = launch.design;
    if (result.kernels.find(launch.kernel) == std::string::npos)
      result.kernels += (result.kernels.empty() ? "" : " + ") + launch.kernel;
  }
  for (const protocol::KernelRun& run : job_.kernel_runs()) {
    if (run.queue != 0 || run.packet >= launches_.size()) continue;
    Result& result = results[launches_[run.packet].op];
    result.launched = std::min(result.launched, run.launched);
    result.ended = run.ended;  // launches of a stream end in order
  }
  return results;
}

std::uint64_t NetworkJob::bytes() const {
  std::uint64_t bytes = 0;
  for (const Place& place : memory_.places) bytes += place.is_used ? place.bytes : 0;
  return bytes;
}

Blocks equal_blocks(const Network& network, const KernelPlan& kernels, const soc::SocParams& machine) {
  std::vector<std::string> keys(network.operators.size());
  visit_launches(network, all_of(network), types_of(network), kernels, machine,
                 [&](std::size_t i, const KernelLaunch& launch) {
                   NetworkArguments arguments = launch.arguments;
                   for (std::uint32_t& address : arguments.address) address = address != 0 ? 1 : 0;
                   const std::vector<unsigned char> bytes = bytes_of(arguments);
                   keys[i] += launch.kernel + std::string(bytes.begin(), bytes.end());
                 });
  return find_blocks(keys);
}

}  // namespace spica::network
