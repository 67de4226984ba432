// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/protocol/host_queues/packets.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::session {

namespace {

using protocol::Packet;

constexpr std::uint64_t kAlignment = 64;  // of each piece: a line

/// Puts streams into memory, one piece after the other.
class Planner {
 public:
  Planner(const loader::Program& program, const soc::SocParams& params)
      : program_(program), params_(params) {}

  StreamPlan plan(const std::vector<Stream>& streams,
                  const std::optional<protocol::ConcurrencyModel>& model) {
    if (model) bytes_ += aligned(protocol::ConcurrencyModel::kBytes);
    for (const Stream& stream : streams) find_records(stream);
    for (const Stream& stream : streams) count_bytes(stream);
    next_ = begin_of(bytes_);
    if (model) plan_.model = put("concurrency model", model->encode());
    for (unsigned i = 0; i < streams.size(); ++i) add(streams[i], i);
    return std::move(plan_);
  }

 private:
  /// Signals of an event, by the number of its record.
  struct Event {
    std::string stream;
    std::vector<std::uint32_t> signals;
    std::uint64_t records = 0;
  };

  void find_records(const Stream& stream) {
    for (const StreamStep& step : stream.steps) {
      if (step.kind != StreamStep::Kind::kRecord) continue;
      Event& event = events_[step.event];
      if (event.records++ == 0) event.stream = stream.name;
      else if (event.stream != stream.name)
        throw input::UserError(fmt::format(
            "event '{}' is recorded by stream '{}' and by stream '{}': only one stream may record it",
            step.event, event.stream, stream.name));
    }
  }

  static std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// An upper bound: kernel objects for each launch.
  void count_bytes(const Stream& stream) {
    for (const StreamStep& step : stream.steps)
      bytes_ += protocol::kPacketBytes + kAlignment + aligned(protocol::kKernelObjectBytes) +
                aligned(step.arguments.size()) +
                (step.product ? aligned(protocol::KernelChoice::kBytes) +
                                    protocol::kDegrees * aligned(protocol::kKernelObjectBytes)
                              : 0);
    bytes_ += kAlignment;
  }

  /// In front of the argument block, behind everything that the program has.
  std::uint64_t begin_of(std::uint64_t bytes) const {
    std::uint64_t used = params_.main_memory.base;
    for (const loader::Segment& segment : program_.segments)
      if (segment.address < loader::kArgumentBlockAddress)
        used = std::max(used, segment.address + segment.size());
    if (const loader::Symbol* heap = program_.find("__heap_end")) used = std::max(used, heap->address);
    if (used + bytes > loader::kArgumentBlockAddress)
      throw input::UserError(fmt::format(
          "the queues need {} bytes between the end of the program at {:#x} and its argument block at "
          "{:#x}; reduce the repetitions, or link the program with a smaller heap "
          "(-Wl,--defsym=__heap_size=...)",
          bytes, used, loader::kArgumentBlockAddress));
    return (loader::kArgumentBlockAddress - bytes) / kAlignment * kAlignment;
  }

  std::uint32_t put(std::string name, std::vector<unsigned char> bytes) {
    const std::uint64_t address = next_;
    next_ += aligned(bytes.size());
    plan_.pieces.push_back({std::move(name), address, std::move(bytes)});
    return static_cast<std::uint32_t>(address);
  }

  /// The signal of record number `record` of an event, which is 1 until then.
  std::uint32_t signal(const std::string& name, std::uint64_t record) {
    Event& event = events_.at(name);
    while (event.signals.size() <= record) {
      std::vector<unsigned char> one(protocol::kSignalBytes, 0);
      one[0] = 1;
      event.signals.push_back(put("event " + name, std::move(one)));
      plan_.events[event.signals.back()] =
          event.records == 1
              ? fmt::format("event '{}' of stream '{}'", name, event.stream)
              : fmt::format("event '{}' of stream '{}', record {}", name, event.stream, event.signals.size());
    }
    return event.signals[record];
  }

  std::uint32_t object_of(const std::string& kernel, const protocol::GridLaunch& launch) {
    const auto [place, is_new] = objects_.try_emplace(launch.entry, 0);
    if (!is_new) return place->second;
    const auto bytes = protocol::KernelObject{launch.startup, launch.entry, launch.registers, launch.barriers,
                                              launch.matrix_unit}
                           .encode();
    return place->second = put("kernel object " + kernel, {bytes.begin(), bytes.end()});
  }

  /// What a packet, or its choice of kernels, says of a kernel.
  protocol::KernelChoice::Variant variant(const Stream& stream, const GridRequest& kernel,
                                          StreamPlan::Launch& known) {
    const auto launch = grid_launch(kernel, program_, params_);
    if (!launch) throw input::UserError(fmt::format("stream '{}': a launch needs a kernel", stream.name));
    known.kernels.push_back({kernel.kernel, kernel.grid, launch->groups()});
    argument_ = launch->argument;
    protocol::KernelChoice::Variant result;
    result.block = launch->block;
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t threads = std::uint64_t{launch->grid[i]} * launch->block[i];
      if (threads > std::numeric_limits<std::uint32_t>::max())
        throw input::UserError(fmt::format(
            "stream '{}': {} work groups of {} threads are more than 2^32 threads in one dimension",
            stream.name, launch->grid[i], launch->block[i]));
      result.grid[i] = static_cast<std::uint32_t>(threads);
    }
    result.shared_bytes = launch->shared_bytes;
    result.object = object_of(kernel.kernel, *launch);
    return result;
  }

  Packet launch(const Stream& stream, const StreamStep& step, StreamPlan::Launch& known) {
    known.label = step.label;
    known.arguments = step.argument_text;
    const protocol::KernelChoice::Variant kernel = variant(stream, step.kernel, known);
    Packet packet;
    packet.block = kernel.block;
    packet.grid = kernel.grid;
    packet.shared_bytes = kernel.shared_bytes;
    packet.object = kernel.object;
    packet.arguments =
        step.arguments.empty() ? argument_ : put("arguments of " + step.kernel.kernel, step.arguments);
    if (!step.product) return packet;
    protocol::KernelChoice choice{step.product->m, step.product->n, step.product->k, {}};
    for (unsigned i = 0; i < protocol::kDegrees; ++i) {
      choice.variants[i] = variant(stream, step.product->kernels[i].kernel, known);
      choice.variants[i].cycles = step.product->kernels[i].cycles;
    }
    const auto bytes = choice.encode();
    packet.choice = put("kernels for products at once", {bytes.begin(), bytes.end()});
    return packet;
  }

  Packet wait(const StreamStep& step, std::map<std::string, std::uint64_t>& waited) {
    const auto event = events_.find(step.event);
    if (event == events_.end())
      throw input::UserError(
          fmt::format("a stream waits for event '{}', but no stream records it", step.event));
    const std::uint64_t number = std::min(waited[step.event]++, event->second.records - 1);
    Packet packet;
    packet.type = Packet::Type::kBarrierAnd;
    packet.barrier = false;
    packet.waits[0] = signal(step.event, number);
    return packet;
  }

  void add(const Stream& stream, unsigned queue) {
    std::map<std::string, std::uint64_t> recorded, waited;
    std::vector<unsigned char> ring;
    plan_.names.push_back(stream.name);
    plan_.launches.emplace_back(stream.steps.size());
    for (std::size_t i = 0; i < stream.steps.size(); ++i) {
      const StreamStep& step = stream.steps[i];
      Packet packet;
      if (step.kind == StreamStep::Kind::kLaunch) packet = launch(stream, step, plan_.launches.back()[i]);
      if (step.kind == StreamStep::Kind::kWait) packet = wait(step, waited);
      if (step.kind == StreamStep::Kind::kRecord) {
        packet.type = Packet::Type::kBarrierAnd;
        packet.signal = signal(step.event, recorded[step.event]++);
      }
      const Packet::Bytes bytes = packet.encode();
      ring.insert(ring.end(), bytes.begin(), bytes.end());
    }
    const auto packets = static_cast<std::uint32_t>(stream.steps.size());
    const std::uint32_t base = put("queue of stream " + stream.name, std::move(ring));
    plan_.queues.push_back({queue, base, packets, packets, stream.clusters});
  }

  const loader::Program& program_;
  const soc::SocParams& params_;
  StreamPlan plan_;
  std::uint32_t argument_ = 0;  // address of the program's argument block
  std::uint64_t bytes_ = 0, next_ = 0;  // of all pieces at most; address of the next one
  std::map<std::string, Event> events_;
  std::map<std::uint32_t, std::uint32_t> objects_;  // by entry
};

}  // namespace

StreamPlan plan_streams(const std::vector<Stream>& streams, const loader::Program& program,
                        const soc::SocParams& params,
                        const std::optional<protocol::ConcurrencyModel>& model) {
  if (!params.command_processor.present)
    throw input::UserError(fmt::format(
        "the machine has no command processor, which streams need: --set {}=true --set {}=true, or a "
        "machine that has one, like mgpu-8",
        soc::keys::kDispatcher, soc::keys::kCommandProcessor));
  if (streams.size() > params.command_processor.queues)
    throw input::UserError(fmt::format("{} streams; the machine has {} queues ({})", streams.size(),
                                       params.command_processor.queues, soc::keys::kQueues));
  return Planner(program, params).plan(streams, model);
}

}  // namespace spica::session
