// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/host_queues.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/clock_domain.h"
#include "models/base/invariant.h"
#include "platform/base/input/user_error.h"

namespace spica::session {

using protocol::Packet;

namespace {

constexpr std::uint32_t kMostObjects = 8192;
constexpr std::uint32_t kMoreSignals = 4096;  // of kernels that have left their ring and run
// Steps to the end of what is in flight after the last kernel: SystemC time advances to the end of a step.
constexpr base::Cycle kStep = 16;

std::uint32_t signal_count(const soc::SocParams& params, std::uint32_t packets) {
  return static_cast<std::uint32_t>(params.command_processor.queues) * packets + kMoreSignals;
}

std::uint64_t ring_bytes(const soc::SocParams& params, std::uint32_t packets) {
  return params.command_processor.queues * packets * std::uint64_t{protocol::kPacketBytes};
}

std::uint64_t packet_key(unsigned queue, std::uint32_t number) { return std::uint64_t{queue} << 32 | number; }

}  // namespace

std::uint64_t HostQueues::bytes(const soc::SocParams& params, std::uint32_t packets) {
  return ring_bytes(params, packets) + std::uint64_t{kMostObjects} * protocol::kKernelObjectBytes +
         std::uint64_t{signal_count(params, packets)} * protocol::kSignalBytes;
}

HostQueues::HostQueues(Session& session, std::uint64_t base, std::uint32_t packets)
    : session_(session),
      machine_(session.machine()),
      packets_(packets),
      rings_(machine_.params().command_processor.queues),
      signals_(static_cast<std::uint32_t>(base + ring_bytes(machine_.params(), packets)) +
                   kMostObjects * protocol::kKernelObjectBytes,
               signal_count(machine_.params(), packets)),
      objects_(machine_, static_cast<std::uint32_t>(base + ring_bytes(machine_.params(), packets)),
               kMostObjects) {
  for (std::size_t i = 0; i < rings_.size(); ++i)
    rings_[i].base = static_cast<std::uint32_t>(base + i * packets * protocol::kPacketBytes);
  machine_.watch_stores(
      signals_.begin(), signals_.end(),
      [this](const protocol::Origin&, std::uint64_t address, unsigned) { on_signal(address); });
  session_.run_queues({});
}

const HostQueues::Entry& HostQueues::entry(Ticket ticket) const {
  if (ticket == 0 || ticket > entries_.size())
    throw input::UserError(fmt::format("there is no ticket {}: the last one is {}", ticket, entries_.size()));
  return entries_[ticket - 1];
}

// -- submissions

/// Barrier packets for what has not completed; the entry shares their signals.
std::vector<Packet> HostQueues::waits_before(const std::vector<Ticket>& after, Entry& entry) const {
  std::vector<Packet> packets;
  for (const Ticket ticket : after) {
    const Entry& other = this->entry(ticket);
    if (other.completed != base::kNever) continue;
    const std::size_t place = entry.waits.size() % protocol::kMostWaits;
    if (place == 0) {
      packets.emplace_back();
      packets.back().type = Packet::Type::kBarrierAnd;
      packets.back().barrier = false;
    }
    packets.back().waits[place] = other.signal;
    entry.waits.push_back(other.signal);
  }
  return packets;
}

Ticket HostQueues::submit(unsigned queue, Packet packet, const std::vector<Ticket>& after) {
  if (queue >= rings_.size())
    throw input::UserError(
        fmt::format("there is no queue {}: the machine has queues 0 to {}", queue, rings_.size() - 1));
  session_.start();  // observers may come until now
  make_room(queue, 1 + (after.size() + protocol::kMostWaits - 1) / protocol::kMostWaits);
  Entry entry;
  const std::vector<Packet> waits = waits_before(after, entry);
  for (const std::uint32_t signal : entry.waits) signals_.share(signal);
  entry.submitted = now();
  entry.signal = packet.signal = signals_.take();
  const unsigned char one[protocol::kSignalBytes] = {1};
  machine_.write(entry.signal, one, sizeof one);

  Ring& ring = rings_[queue];
  for (const Packet& wait : waits) put(ring, wait);
  const Ticket ticket = entries_.size() + 1;
  if (packet.type == Packet::Type::kKernel)
    of_packet_[packet_key(queue, ring.written)] = kernels_[packet_key(queue, ring.written)] = ticket;
  put(ring, packet);
  of_signal_[entry.signal] = ticket;
  entries_.push_back(std::move(entry));
  machine_.launch({{queue, ring.base, packets_, ring.written, {}}}, 0);
  return ticket;
}

void HostQueues::put(Ring& ring, const Packet& packet) {
  const Packet::Bytes bytes = packet.encode();
  machine_.write(ring.base + ring.written % packets_ * protocol::kPacketBytes, bytes.data(), bytes.size());
  ++ring.written;
}

bool HostQueues::has_room(unsigned queue, std::size_t packets) {
  Ring& ring = rings_[queue];
  if (signals_.empty()) return false;
  if (ring.written - ring.read + packets <= packets_) return true;
  ring.read = machine_.queue_states()[queue].read;
  return ring.written - ring.read + packets <= packets_;
}

void HostQueues::make_room(unsigned queue, std::size_t packets) {
  if (packets > packets_)
    throw input::UserError(fmt::format("{} packets for one entry; a queue holds {}", packets, packets_));
  if (!ended_ && !has_room(queue, packets)) run([&] { return has_room(queue, packets); });
  if (ended_) throw input::UserError("the device has ended: nothing can be enqueued");
}

// -- the run

/// Runs until `done`, or until nothing is left to do. `done` is asked whenever a signal has been written.
bool HostQueues::run(const std::function<bool()>& done, base::Cycle end) {
  using RunState = soc::RunControl::RunState;
  done_ = &done;
  const auto is_due = [this] { return driver_.is_due && driver_.is_due(); };
  const std::function<bool()> stop = [&] { return done() || is_due(); };
  RunState rest = RunState::kGoing;
  while (!ended_ && rest == RunState::kGoing && machine_.clock().now() < end && !done()) {
    rest = session_.run_to(end, stop);
    if (rest == RunState::kGoing && is_due()) rest = driver_.run();
    ended_ = rest != RunState::kGoing && rest != RunState::kEnded;
  }
  done_ = nullptr;
  match_runs();
  return !ended_;
}

bool HostQueues::run_until(Ticket ticket) {
  const Entry& entry = this->entry(ticket);
  if (!run([&] { return entry.completed != base::kNever; })) return entry.completed != base::kNever;
  SPICA_INVARIANT(entry.completed != base::kNever);
  return true;
}

bool HostQueues::run_idle() {
  if (entries_.empty()) return !ended_;
  run([this] { return completed_ == entries_.size(); });
  while (!ended_ && !machine_.finished()) run([] { return false; }, machine_.clock().now() + kStep);
  return !ended_;
}

bool HostQueues::run_for(base::Cycle cycles) {
  if (entries_.empty()) return !ended_;
  const base::Cycle end = machine_.clock().now() + cycles;
  run([this] { return completed_ == entries_.size(); }, end);
  while (!ended_ && !machine_.finished() && machine_.clock().now() < end)
    run([] { return false; }, std::min(end, machine_.clock().now() + kStep));
  return !ended_;
}

/// The command processor has written a signal.
void HostQueues::on_signal(std::uint64_t address) {
  const auto found = of_signal_.find(static_cast<std::uint32_t>(address));
  if (found == of_signal_.end()) return;
  Entry& entry = entries_[found->second - 1];
  of_signal_.erase(found);
  match_runs();
  entry.completed = now();
  if (entry.run != kNoRun)
    entry.completed = std::max(entry.completed, machine_.kernel_runs()[entry.run].ended);
  reached_ = entry.completed;
  ++completed_;
  signals_.release(entry.signal);
  for (const std::uint32_t signal : entry.waits) signals_.release(signal);
  std::vector<std::uint32_t>().swap(entry.waits);
  // At the end of the cycle, in the fast mode of the round: later submissions are not earlier than what has
  // happened.
  if (done_ != nullptr && (*done_)()) machine_.clock().pause();
}

// -- times

Ticket HostQueues::ticket_of(const protocol::KernelRun& run) const {
  const auto found = kernels_.find(packet_key(run.queue, run.packet));
  return found == kernels_.end() ? 0 : found->second;
}

/// Finds the entries of kernels that have been launched since the last call.
void HostQueues::match_runs() {
  const std::vector<protocol::KernelRun>& runs = machine_.kernel_runs();
  for (; matched_ < runs.size(); ++matched_) {
    const auto found = of_packet_.find(packet_key(runs[matched_].queue, runs[matched_].packet));
    if (found == of_packet_.end()) continue;
    entries_[found->second - 1].run = static_cast<std::uint32_t>(matched_);
    of_packet_.erase(found);
  }
}

/// In the fast mode cores run one after the other, and times are estimates: each is at least the one before.
HostQueues::Times HostQueues::times(Ticket ticket) {
  match_runs();
  const Entry& entry = this->entry(ticket);
  Times times;
  times.submitted = entry.submitted;
  base::Cycle last = entry.submitted;
  const auto in_order = [&last](base::Cycle cycle) {
    return cycle == base::kNever ? cycle : last = std::max(last, cycle);
  };
  if (entry.run != kNoRun) {
    const protocol::KernelRun& run = machine_.kernel_runs()[entry.run];
    times.launched = in_order(run.launched);
    times.begun = in_order(run.begun);
    times.ended = in_order(run.ended);
  }
  times.completed = in_order(entry.completed);
  return times;
}

}  // namespace spica::session
