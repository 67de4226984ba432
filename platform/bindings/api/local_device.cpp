// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/local_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/bindings/api/errors.h"
#include "platform/machine/session/assertions.h"
#include "platform/machine/soc/built_for.h"
#include "platform/machine/soc/keys.h"

namespace spica::api {

namespace {

constexpr std::uint64_t kAlignment = 4096;  // of the memory of the queues

/// Where stacks begin, or the end of main memory.
std::uint64_t data_end(const soc::SocParams& params) {
  const std::uint64_t end = params.main_memory.base + params.main_memory.size;
  return std::min(end, soc::own_stacks(params).lowest(params.harts()));
}

/// Where the memory of the queues begins, behind that of the user.
std::uint64_t queues_begin(const soc::SocParams& params, std::uint32_t packets) {
  return (data_end(params) - session::HostQueues::bytes(params, packets)) / kAlignment * kAlignment;
}

DeviceFacts facts_of(const soc::SocParams& params, std::uint32_t packets) {
  const auto limits = params.dispatcher_with_clusters();
  DeviceFacts facts;
  facts.memory_begin = params.main_memory.base;
  facts.memory_end = queues_begin(params, packets);
  facts.queues = static_cast<unsigned>(params.command_processor.queues);
  facts.clusters = static_cast<unsigned>(limits.clusters);
  facts.cores = static_cast<unsigned>(limits.cores);
  facts.warps = static_cast<unsigned>(limits.warps);
  facts.lanes = static_cast<unsigned>(limits.lanes);
  facts.shared_bytes = limits.shared_bytes;
  facts.barriers = static_cast<unsigned>(limits.barriers);
  facts.stack_bytes = soc::own_stacks(params).bytes;
  facts.cache_bytes = params.l2.size_bytes;
  facts.line_bytes = params.l2.line_bytes;
  facts.mhz = params.core_mhz();
  return facts;
}

protocol::Index3 extent(const char* what, const std::vector<unsigned>& given) {
  if (given.empty() || given.size() > 3)
    throw Error(fmt::format("{} of {} dimensions: allowed are 1 to 3", what, given.size()));
  protocol::Index3 extent{1, 1, 1};
  std::copy(given.begin(), given.end(), extent.begin());
  std::uint64_t all = 1;
  for (const std::uint32_t length : extent) {
    all *= length;
    if (all > std::numeric_limits<std::uint32_t>::max())
      throw Error(fmt::format("{} is too large: its extents multiply to more than 2^32 - 1", what));
  }
  return extent;
}

std::vector<AddressRange> ranges_of(const loader::Program& program) {
  std::vector<AddressRange> ranges;
  for (const loader::Segment& segment : program.segments)
    ranges.push_back({segment.address, segment.address + segment.size()});
  std::sort(ranges.begin(), ranges.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; });
  return ranges;
}

}  // namespace

void LocalDevice::check(const soc::SocParams& params, const DeviceOptions& options) {
  const unsigned packets = options.queue_packets;
  if (packets < 16 || packets > 65536 || (packets & (packets - 1)) != 0)
    throw input::UserError(
        fmt::format("queue_packets={}: allowed are powers of two from 16 to 65536", packets));
  const std::uint64_t bytes = session::HostQueues::bytes(params, packets), end = data_end(params);
  if (end < params.main_memory.base + bytes + kAlignment)
    throw input::UserError(
        fmt::format("the queues need {} bytes, and main memory has {} in front of the stacks: choose fewer "
                    "queue_packets, or a larger {}.size",
                    bytes, end - std::min(end, params.main_memory.base), soc::keys::kMainMemory));
}

LocalDevice::LocalDevice(const Owner& owner, const DeviceOptions& options)
    : owner_(owner),
      facts_(facts_of(owner.session.machine().params(), options.queue_packets)),
      resident_(owner.session.machine(),
                {"free memory", facts_.memory_begin, facts_.memory_end - facts_.memory_begin}),
      queues_(owner.session, facts_.memory_end, options.queue_packets) {
  queues_.use(owner.debugger);
}

// -- programs

Program LocalDevice::add(const std::string& given) {
  return as_errors([&] {
    Program result;
    loader::Program elf = owner_.load(given, result.warnings);
    const loader::Kernels kernels = loader::kernels_of(elf);
    if (kernels.all.empty())
      throw input::UserError(
          fmt::format("'{}' has no kernels (SPICA_KERNEL of spica/group.h): a device runs only kernels",
                      input::printable(elf.path)));
    result.id = last_program_ + 1;
    Loaded& loaded = programs_[result.id];
    loaded.program = std::move(elf);
    try {
      resident_.add(loaded.program);
    } catch (...) {
      programs_.erase(result.id);
      throw;
    }
    last_program_ = result.id;
    loaded.sources = &owner_.sources.add(loaded.program);
    join(loaded.program);
    try {
      owner_.added(loaded.program);
      for (const loader::Kernel& kernel : kernels.all)
        result.kernels.push_back(add_kernel(result.id, kernel, kernels.startup));
    } catch (...) {
      forget_kernels(loaded);
      take_out(result.id);
      throw;
    }
    result.ranges = ranges_of(loaded.program);
    return result;
  });
}

Kernel LocalDevice::add_kernel(std::uint32_t program, const loader::Kernel& kernel, std::uint32_t startup) {
  const std::uint32_t object =
      queues_.objects().add({startup, kernel.entry, kernel.registers, kernel.barriers, kernel.matrix_unit});
  const std::uint32_t id = ++last_kernel_;
  kernels_[id] = {program, kernel, startup, object};
  programs_.at(program).kernels.push_back(id);
  return {id, kernel.name, kernel.threads, kernel.shared_bytes, kernel.registers, kernel.barriers};
}

LocalDevice::Loaded& LocalDevice::loaded(std::uint32_t program) {
  const auto found = programs_.find(program);
  if (found == programs_.end() || found->second.removed)
    throw Error(fmt::format("the device has no program {}", program));
  return found->second;
}

void LocalDevice::remove(std::uint32_t program) {
  Loaded& leaving = loaded(program);
  for (const Ticket ticket : leaving.launches)
    if (!queues_.is_complete(ticket))
      throw Error(
          fmt::format("program {} cannot be removed: launch {} of it has not completed", program, ticket));
  forget_kernels(leaving);
  leaving.removed = true;
  if (!owner_.observed) take_out(program);  // otherwise it stays where it is
}

void LocalDevice::forget_kernels(Loaded& leaving) {
  for (const std::uint32_t kernel : leaving.kernels) {
    queues_.objects().remove(kernels_.at(kernel).object);
    kernels_.erase(kernel);
  }
  leaving.kernels.clear();
}

void LocalDevice::take_out(std::uint32_t program) {
  const loader::Program& leaving = programs_.at(program).program;
  resident_.remove(leaving);
  owner_.sources.remove(leaving);
  part(leaving);
  programs_.erase(program);
}

void LocalDevice::join(const loader::Program& program) {
  if (programs_.size() == 1) {
    whole_ = program;
    return;
  }
  whole_.segments.insert(whole_.segments.end(), program.segments.begin(), program.segments.end());
  whole_.symbols.insert(whole_.symbols.end(), program.symbols.begin(), program.symbols.end());
  std::stable_sort(whole_.symbols.begin(), whole_.symbols.end(),
                   [](const loader::Symbol& a, const loader::Symbol& b) {
                     return std::tie(a.address, a.name) < std::tie(b.address, b.name);
                   });
}

void LocalDevice::part(const loader::Program& program) {
  const auto inside = [&](std::uint64_t address) {
    return std::any_of(program.segments.begin(), program.segments.end(), [&](const loader::Segment& segment) {
      return address >= segment.address && address - segment.address < segment.size();
    });
  };
  const auto leave = [&](auto& all) {
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return inside(one.address); }),
              all.end());
  };
  leave(whole_.segments);
  leave(whole_.symbols);
}

std::uint64_t LocalDevice::symbol(std::uint32_t program, const std::string& name) {
  const Loaded& found = loaded(program);
  if (const loader::Symbol* symbol = found.sources->find_symbol(name)) return symbol->address;
  throw Error(
      fmt::format("{} has no symbol '{}'", input::printable(found.program.path), input::printable(name)));
}

protocol::GuestFault LocalDevice::named(const protocol::GuestFault& fault) const {
  protocol::GuestFault result = fault;
  for (const auto& [id, loaded] : programs_) result = session::named(result, loaded.program);
  return result;
}

std::vector<Fault> LocalDevice::faults(std::size_t from) {
  const std::vector<protocol::GuestFault>& all = owner_.session.faults();
  std::vector<Fault> result;
  for (; from < all.size(); ++from) result.push_back(owner_.shown(all[from]));
  return result;
}

// -- launches

const LocalDevice::KnownKernel& LocalDevice::known(std::uint32_t kernel) const {
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) throw Error(fmt::format("the device has no kernel {}", kernel));
  return found->second;
}

protocol::GridLaunch LocalDevice::launch_of(const Launch& launch) const {
  const KnownKernel& known = this->known(launch.kernel);
  protocol::GridLaunch result;
  result.grid = extent("a grid", launch.grid);
  result.block = {known.kernel.threads, 1, 1};
  if (!launch.block.empty()) result.block = extent("a work group", launch.block);
  const std::uint64_t shared = std::uint64_t{known.kernel.shared_bytes} + launch.shared_bytes;
  result.shared_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(shared, std::numeric_limits<std::uint32_t>::max()));
  result.registers = known.kernel.registers;
  result.barriers = known.kernel.barriers;
  result.matrix_unit = known.kernel.matrix_unit;
  return result;
}

std::string LocalDevice::problems(const Launch& launch) {
  const protocol::GridLaunch grid = launch_of(launch);
  std::string text;
  const auto add = [&](const std::string& problem) {
    text +=
        fmt::format("{}kernel '{}': {}", text.empty() ? "" : "\n", known(launch.kernel).kernel.name, problem);
  };
  for (const std::string& problem : owner_.session.machine().params().launch_problems(grid)) add(problem);
  for (unsigned i = 0; i < 3; ++i) {
    if (std::uint64_t{grid.grid[i]} * grid.block[i] > std::numeric_limits<std::uint32_t>::max())
      add(fmt::format("{} work groups of {} threads are more than 2^32 threads in one dimension",
                      grid.grid[i], grid.block[i]));
    if (grid.block[i] > std::numeric_limits<std::uint16_t>::max())
      add(fmt::format("a work group of {} threads in one dimension; at most 65535 are possible",
                      grid.block[i]));
  }
  if (launch.arguments > std::numeric_limits<std::uint32_t>::max())
    add(fmt::format("the argument block is at {:#x}; addresses have 32 bits", launch.arguments));
  return text;
}

Ticket LocalDevice::enqueue(unsigned queue, const Launch& launch) {
  if (const std::string problems = this->problems(launch); !problems.empty()) throw Error(problems);
  return as_errors([&] {
    const KnownKernel& kernel = known(launch.kernel);
    const protocol::GridLaunch grid = launch_of(launch);
    protocol::Packet packet;
    packet.barrier = launch.in_order;
    packet.block = grid.block;
    for (unsigned i = 0; i < 3; ++i) packet.grid[i] = grid.grid[i] * grid.block[i];
    packet.shared_bytes = grid.shared_bytes;
    packet.object = kernel.object;
    packet.arguments = static_cast<std::uint32_t>(launch.arguments);
    const Ticket ticket = queues_.submit(queue, packet, launch.after);
    name_launch(ticket, launch.name.empty() ? kernel.kernel.name : launch.name);
    std::vector<Ticket>& launches = programs_.at(kernel.program).launches;
    if (launches.size() == launches.capacity())
      launches.erase(std::remove_if(launches.begin(), launches.end(),
                                    [this](Ticket earlier) { return queues_.is_complete(earlier); }),
                     launches.end());
    launches.push_back(ticket);
    return ticket;
  });
}

void LocalDevice::name_launch(Ticket ticket, const std::string& name) {
  const auto [place, is_new] = name_numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(&place->first);
  name_of_ticket_.resize(ticket, kNoName);
  name_of_ticket_.back() = place->second;
}

std::string LocalDevice::name_of(const protocol::KernelRun& run) const {
  const Ticket ticket = queues_.ticket_of(run);
  if (ticket == 0 || ticket > name_of_ticket_.size() || name_of_ticket_[ticket - 1] == kNoName) return "";
  return *names_[name_of_ticket_[ticket - 1]];
}

Ticket LocalDevice::enqueue_barrier(unsigned queue, const std::vector<Ticket>& after) {
  protocol::Packet packet;
  packet.type = protocol::Packet::Type::kBarrierAnd;
  return as_errors([&] { return queues_.submit(queue, packet, after); });
}

bool LocalDevice::run_until(Ticket ticket) {
  return as_errors([&] { return queues_.run_until(ticket); });
}

bool LocalDevice::run_idle() {
  return as_errors([&] { return queues_.run_idle(); });
}

bool LocalDevice::run_for(base::Cycle cycles) { return queues_.run_for(cycles); }

session::Outcome LocalDevice::finish() {
  queues_.run_idle();
  queues_.close();
  session::Outcome outcome = owner_.session.finish();
  outcome.guest_exit_code = 0;  // kernels have none
  return outcome;
}

LaunchTimes LocalDevice::times(Ticket ticket) {
  const session::HostQueues::Times found = as_errors([&] { return queues_.times(ticket); });
  static_assert(base::kNever == LaunchTimes::kNever);
  return {found.submitted, found.launched, found.begun, found.ended, found.completed};
}

}  // namespace spica::api
