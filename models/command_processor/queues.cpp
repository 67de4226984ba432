// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace spica::command_processor {

using protocol::KernelObject;
using protocol::Packet;

Queues::Queues(const CommandProcessorParams& params, Outside outside)
    : params_(params), outside_(std::move(outside)), queues_(params.queues), concurrency_(params) {}

// -- what the processor does

Step Queues::next() const {
  if (!signals_.empty()) return Step::kSignal;
  const auto any = [this](bool (Queue::*is)() const) {
    return std::any_of(queues_.begin(), queues_.end(), [is](const Queue& queue) { return (queue.*is)(); });
  };
  if (any(&Queue::unread)) return Step::kHeads;
  if (must_decide()) return Step::kDecide;
  return recheck_ && any(&Queue::waits) ? Step::kWaits : Step::kNone;
}

/// All queues that have packets are read, some at a time, and products of which something is decided written; signals one by
/// one.
std::uint64_t Queues::accesses(Step step) const {
  std::uint64_t count = 0, written = 0;
  const auto some_at_a_time = [this](std::uint64_t heads) {
    return (heads + params_.heads_per_access - 1) / params_.heads_per_access;
  };
  for (const Queue& queue : queues_) {
    if (step == Step::kHeads || (step == Step::kDecide && !fresh_)) count += queue.written != queue.read;
    if (step == Step::kDecide) written += queue.has_product();
    if (step == Step::kWaits && queue.waits())
      count += protocol::kMostWaits - std::count(queue.head->waits.begin(), queue.head->waits.end(), 0u);
  }
  if (step == Step::kHeads || step == Step::kDecide) return some_at_a_time(count) + some_at_a_time(written);
  return step == Step::kSignal ? 1 : count;
}

/// A decision that follows the reading of the heads has begun with that.
std::uint64_t Queues::own_cycles(Step step) const {
  const std::uint64_t memory = accesses(step) * params_.memory_latency;
  if (step != Step::kDecide) return memory;
  const std::uint64_t begun = fresh_ ? accesses(Step::kHeads) * params_.memory_latency : 0;
  return std::max(memory + begun, params_.decision_cycles()) - begun;
}

void Queues::perform(Step step) {
  if (step != Step::kNone) fresh_ = step == Step::kHeads;
  switch (step) {
    case Step::kNone: return;
    case Step::kSignal: return write_signal();
    case Step::kWaits: return check_waits();
    case Step::kDecide: return decide();
    case Step::kHeads:
      for (unsigned number = 0; number < queues_.size(); ++number)
        if (queues_[number].unread()) read_head(number);
  }
}

void Queues::read_head(unsigned number) {
  Queue& queue = queues_[number];
  Packet::Bytes bytes;
  const std::uint64_t address =
      queue.base + std::uint64_t{queue.read % queue.packets} * protocol::kPacketBytes;
  if (!outside_.read(address, bytes.data(), protocol::kPacketBytes))
    return break_at(number, fmt::format("its place, {:#x}, is outside of memory", address));
  queue.head = Packet::decode(bytes);
  queue.product.reset();
  queue.launched = false;
  if (!queue.head)
    return break_at(number,
                    "it is neither a kernel (type 2) nor a barrier (type 3) with addresses of 32 bits");
  recheck_ |= queue.waits();
  if (queue.waits()) return;
  std::string wrong = launch_of(queue);
  if (wrong.empty() && queue.head->choice != 0 && (concurrency_.decides() || params_.has_firmware()))
    wrong = product_of(queue);
  if (!wrong.empty()) return break_at(number, wrong);
  changes_.heads |= 1u << number;
}

/// What is wrong with it; "": nothing.
std::string Queues::launch_of(Queue& queue) {
  const Packet& packet = *queue.head;
  return make_launch({packet.object, packet.block, packet.grid, packet.shared_bytes, 0}, packet.arguments,
                     queue.clusters, queue.launch);
}

std::string Queues::make_launch(const protocol::KernelChoice::Variant& kernel, std::uint32_t arguments,
                                std::uint32_t clusters, protocol::GridLaunch& launch) const {
  KernelObject::Bytes bytes;
  if (!outside_.read(kernel.object, bytes.data(), protocol::kKernelObjectBytes))
    return fmt::format("its kernel object, {:#x}, is outside of memory", kernel.object);
  const KernelObject object = KernelObject::decode(bytes);
  launch = {};
  launch.startup = object.startup;
  launch.entry = object.entry;
  launch.registers = object.registers;
  launch.barriers = object.barriers;
  launch.matrix_unit = object.matrix_unit;
  launch.argument = arguments;
  launch.block = kernel.block;
  launch.shared_bytes = kernel.shared_bytes;
  launch.clusters = clusters;
  for (unsigned i = 0; i < 3; ++i) {
    if (kernel.block[i] == 0 || kernel.grid[i] % kernel.block[i] != 0)
      return fmt::format("a grid of {} threads is not a multiple of the work-group size {}", kernel.grid[i],
                         kernel.block[i]);
    launch.grid[i] = kernel.grid[i] / kernel.block[i];
  }
  const std::vector<std::string> reasons = outside_.why_not(launch);
  return reasons.empty() ? "" : reasons.front();
}

void Queues::break_at(unsigned number, const std::string& what) {
  Queue& queue = queues_[number];
  queue.broken = true;
  queue.head.reset();
  if (!problem_) problem_ = fmt::format("queue {}, packet {}: {}", number, queue.read, what);
}

void Queues::check_waits() {
  recheck_ = false;
  for (Queue& queue : queues_) {
    if (!queue.waits() || !queue.is_free()) continue;
    const auto& waits = queue.head->waits;
    if (!std::all_of(waits.begin(), waits.end(),
                     [this](std::uint32_t signal) { return signal == 0 || value_of(signal) == 0u; }))
      continue;
    outside_.begins(static_cast<unsigned>(&queue - queues_.data()), queue.read, *queue.head);
    ++queue.read;
    complete(queue.head->signal);
    queue.head.reset();
  }
}

std::optional<std::uint64_t> Queues::value_of(std::uint32_t signal) const {
  std::uint64_t value = 0;
  std::array<unsigned char, protocol::kSignalBytes> bytes;
  if (!outside_.read(signal, bytes.data(), protocol::kSignalBytes)) return std::nullopt;
  for (unsigned i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << 8 * i;
  return value;
}

void Queues::complete(std::uint32_t signal) {
  ++completed_;
  if (signal != 0) signals_.push_back(signal);
}

void Queues::write_signal() {
  const std::uint32_t signal = signals_.front();
  signals_.pop_front();
  recheck_ = true;
  const auto value = value_of(signal);
  std::array<unsigned char, protocol::kSignalBytes> bytes{};
  for (unsigned i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>((value.value_or(0) - 1) >> 8 * i);
  if ((!value || !outside_.write(signal, bytes.data(), protocol::kSignalBytes)) && !problem_)
    problem_ = fmt::format("the signal {:#x} of a packet that has completed is outside of memory", signal);
}

std::optional<protocol::GridLaunch> Queues::choose(base::Cycle now) {
  const auto number = params_.has_firmware() ? std::exchange(command_, std::nullopt) : next_queue();
  if (!number) return std::nullopt;
  Queue& queue = queues_[*number];
  UnderWay under_way{*number, queue.head->signal, std::nullopt};
  std::uint32_t degree = 0;
  if (queue.product) {
    queue.launch = queue.product->launches[queue.product->degree];
    under_way.degree = queue.product->degree;
    degree = protocol::degree_of(queue.product->degree);
    concurrency_.begin(*queue.product);
  }
  outside_.begins(*number, queue.read, *queue.head);
  queue.launch.id = static_cast<std::uint32_t>(runs_.size() + 1);
  runs_.push_back({*number, queue.read, now, base::kNever, base::kNever, degree});
  under_way_[queue.launch.id] = under_way;
  queue.launched = true;
  ++queue.running;
  turn_ = (*number + 1) % static_cast<unsigned>(queues_.size());
  return queue.launch;
}

void Queues::given(std::uint32_t kernel) {
  const UnderWay& given = under_way_.at(kernel);
  Queue& queue = queues_[given.queue];
  queue.head.reset();
  queue.product.reset();
  ++queue.read;
  if (given.degree) concurrency_.change();
  changes_.given |= 1u << given.queue;
}

void Queues::ended(std::uint32_t kernel, base::Cycle now) {
  const UnderWay ended = under_way_.at(kernel);
  under_way_.erase(kernel);
  if (ended.degree) concurrency_.end(*ended.degree);
  runs_[kernel - 1].ended = now;
  --queues_[ended.queue].running;
  recheck_ = true;
  changes_.ended |= 1u << ended.queue;
  complete(ended.signal);
}

bool Queues::empty() const {
  return under_way_.empty() && signals_.empty() &&
         std::all_of(queues_.begin(), queues_.end(),
                     [](const Queue& queue) { return queue.written == queue.read; });
}

protocol::QueueState Queues::state(unsigned number) const {
  const Queue& queue = queues_[number];
  protocol::QueueState state{queue.written, queue.read, queue.running, {}};
  if (queue.waits())
    for (const std::uint32_t signal : queue.head->waits)
      if (signal != 0 && value_of(signal) != 0u) state.waits.push_back(signal);
  return state;
}

void Queues::reset() {
  std::fill(queues_.begin(), queues_.end(), Queue());
  signals_.clear();
  runs_.clear();
  under_way_.clear();
  turn_ = 0;
  fresh_ = false;
  concurrency_.reset();
  model_ = 0;
  changes_ = {};
  command_.reset();
  recheck_ = false;
  completed_ = 0;
  problem_.reset();
}

}  // namespace spica::command_processor
