// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/command_processor/command_processor_regs.h"

namespace spica::command_processor {

Queues::Queues(const CommandProcessorParams& params, Outside outside)
    : params_(params), outside_(std::move(outside)), queues_(params.queues) {}

// -- registers

std::optional<std::uint32_t> Queues::read(std::uint64_t offset) const {
  if (offset == COMMAND_PROCESSOR_MODEL) return reader_.model();
  const std::uint64_t number = offset / COMMAND_PROCESSOR_QUEUE_BYTES;
  if (number >= queues_.size()) return std::nullopt;
  return queues_[number].read_register(offset % COMMAND_PROCESSOR_QUEUE_BYTES);
}

/// The model is read when its address is written.
bool Queues::write(std::uint64_t offset, std::uint32_t value) {
  if (offset == COMMAND_PROCESSOR_MODEL) return reader_.use_model(value);
  const std::uint64_t number = offset / COMMAND_PROCESSOR_QUEUE_BYTES;
  return number < queues_.size() &&
         queues_[number].write_register(offset % COMMAND_PROCESSOR_QUEUE_BYTES, value);
}

void Queues::start(const protocol::QueueSetup& setup) {
  const std::uint64_t at = std::uint64_t{setup.queue} * COMMAND_PROCESSOR_QUEUE_BYTES;
  write(at + COMMAND_PROCESSOR_BASE, setup.base);
  write(at + COMMAND_PROCESSOR_PACKETS, setup.packets);
  for (unsigned word = protocol::ClusterSet::kWords; word-- != 0;) {
    write(at + COMMAND_PROCESSOR_CLUSTER_WORD, word);
    write(at + COMMAND_PROCESSOR_CLUSTERS, setup.clusters.word(word));
  }
  write(at + COMMAND_PROCESSOR_DOORBELL, setup.written);
}

/// The error of the command; "": choose() launches this kernel next.
std::string Queues::command(std::uint32_t number, std::uint32_t variant) {
  const auto refuse = [number](const char* why) {
    return fmt::format("its firmware launches queue {}, {}", number, why);
  };
  if (number >= queues_.size()) return refuse("which does not exist");
  Queue& queue = queues_[number];
  if (!queue.has_kernel()) return refuse("which has no kernel to launch at its head");
  if (!queue.is_free()) return refuse("whose kernel waits for those before it (barrier bit)");
  if (variant >= FIRMWARE_VARIANTS) return refuse("with an undefined variant");
  if (variant != 0 && !queue.product) return refuse("whose kernel has no table of variants");
  if (variant == 0) queue.product.reset();
  else queue.product->degree = variant - 1;
  command_ = number;
  return "";
}

// -- what the processor does

Step Queues::next() const {
  if (signals_.pending()) return Step::kSignal;
  const auto any = [this](bool (Queue::*is)() const) {
    return std::any_of(queues_.begin(), queues_.end(), [is](const Queue& queue) { return (queue.*is)(); });
  };
  if (any(&Queue::unread)) return Step::kHeads;
  if (must_decide()) return Step::kDecide;
  return recheck_ && any(&Queue::waits) ? Step::kWaits : Step::kNone;
}

/// Reads all queues with packets, several per access, and products that need a decision; writes signals one by one.
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

/// A decision after reading the heads has started with the reading.
std::uint64_t Queues::own_cycles(Step step) const {
  const std::uint64_t memory = accesses(step) * params_.memory_latency;
  if (step != Step::kDecide) return memory;
  const std::uint64_t head_time = fresh_ ? accesses(Step::kHeads) * params_.memory_latency : 0;
  return std::max(memory + head_time, params_.decision_cycles()) - head_time;
}

void Queues::perform(Step step) {
  if (step != Step::kNone) fresh_ = step == Step::kHeads;
  switch (step) {
    case Step::kNone: return;
    case Step::kSignal:
      recheck_ = true;
      if (const auto outside = signals_.write_next(); outside && !problem_)
        problem_ =
            fmt::format("the signal {:#x} of a packet that has completed is outside of memory", *outside);
      return;
    case Step::kWaits: return check_waits();
    case Step::kDecide: return decide();
    case Step::kHeads:
      for (unsigned number = 0; number < queues_.size(); ++number)
        if (queues_[number].unread()) read_head(number);
  }
}

void Queues::read_head(unsigned number) {
  Queue& queue = queues_[number];
  const std::string wrong = reader_.read(queue);
  if (!wrong.empty()) return break_at(number, wrong);
  if (queue.waits()) recheck_ = true;
  else firmware_.new_head(number);
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
    if (!queue.waits() || !queue.is_free() || !signals_.open(*queue.head).empty()) continue;
    outside_.begins(static_cast<unsigned>(&queue - queues_.data()), queue.read, *queue.head);
    ++queue.read;
    signals_.complete(queue.head->signal);
    queue.head.reset();
  }
}

/// The number of products that run or could start.
std::uint64_t Queues::products() const {
  const auto waiting = std::count_if(queues_.begin(), queues_.end(), [](const Queue& queue) {
    return queue.has_product() && queue.is_free();
  });
  return static_cast<std::uint64_t>(waiting) + concurrency_.running();
}

bool Queues::must_decide() const {
  return !params_.has_firmware() && concurrency_.open(products()) &&
         std::any_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return queue.has_product(); });
}

void Queues::decide() {
  reader_.has_model();
  const std::uint64_t products = this->products();
  for (Queue& queue : queues_)
    if (queue.has_product()) concurrency_.decide(*queue.product, products, outside_.occupancy);
  concurrency_.close();
}

/// Queues take turns; products like the last one come first.
std::optional<unsigned> Queues::next_queue() const {
  if (params_.policy == Policy::kSequential && runs_.running() != 0) return std::nullopt;
  const bool undecided = must_decide();
  const auto count = static_cast<unsigned>(queues_.size());
  std::optional<unsigned> first;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = (turn_ + i) % count;
    const Queue& queue = queues_[number];
    if (!queue.head || queue.waits() || queue.launched || !queue.is_free()) continue;
    if (!queue.product ||
        (!undecided && concurrency_.is_like_last(*queue.product) && concurrency_.may_begin(*queue.product)))
      return number;
    if (!first && !undecided && concurrency_.may_begin(*queue.product)) first = number;
  }
  return first;
}

// -- kernels

std::optional<protocol::GridLaunch> Queues::choose(base::Cycle now) {
  const auto number = params_.has_firmware() ? std::exchange(command_, std::nullopt) : next_queue();
  if (!number) return std::nullopt;
  Queue& queue = queues_[*number];
  KernelRuns::UnderWay kernel{*number, queue.head->signal, std::nullopt};
  if (queue.product) {
    queue.launch = queue.product->launches[queue.product->degree];
    kernel.degree = queue.product->degree;
    concurrency_.begin(*queue.product);
  }
  outside_.begins(*number, queue.read, *queue.head);
  queue.launch.id = runs_.launch(kernel, queue.read, now);
  queue.launched = true;
  ++queue.running;
  turn_ = (*number + 1) % static_cast<unsigned>(queues_.size());
  return queue.launch;
}

void Queues::dispatched(std::uint32_t kernel) {
  const KernelRuns::UnderWay& run = runs_.under_way(kernel);
  Queue& queue = queues_[run.queue];
  queue.head.reset();
  queue.product.reset();
  ++queue.read;
  if (run.degree) concurrency_.change();
  firmware_.dispatched(run.queue);
}

void Queues::ended(std::uint32_t id, base::Cycle now) {
  const KernelRuns::UnderWay kernel = runs_.end(id, now);
  if (kernel.degree) concurrency_.end(*kernel.degree);
  --queues_[kernel.queue].running;
  recheck_ = true;
  firmware_.ended(kernel.queue);
  signals_.complete(kernel.signal);
}

bool Queues::empty() const {
  return runs_.running() == 0 && !signals_.pending() &&
         std::all_of(queues_.begin(), queues_.end(),
                     [](const Queue& queue) { return queue.written == queue.read; });
}

protocol::QueueState Queues::state(unsigned number) const {
  const Queue& queue = queues_[number];
  protocol::QueueState state{queue.written, queue.read, queue.running, {}};
  if (queue.waits()) state.waits = signals_.open(*queue.head);
  return state;
}

void Queues::reset() {
  std::fill(queues_.begin(), queues_.end(), Queue());
  signals_.reset();
  runs_.reset();
  reader_.reset();
  firmware_.reset();
  concurrency_.reset();
  turn_ = 0;
  fresh_ = recheck_ = false;
  command_.reset();
  problem_.reset();
}

}  // namespace spica::command_processor
