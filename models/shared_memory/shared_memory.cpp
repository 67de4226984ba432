// SPDX-License-Identifier: Apache-2.0
// One cycle: requests into queues, to the banks, and back.
#include "models/shared_memory/shared_memory.h"

#include <algorithm>

#include "models/base/hot_inline.h"

namespace spica::shared_memory {

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::on_request(unsigned source, protocol::Payload& payload) {
  if (!ports_[source].has_room()) {
    ports_.held |= bit(source);
    return false;
  }
  enqueue(source, payload);
  return true;
}

/// Lanes of a core are independent. They wait in their own buffers before the memory, as does the next access that
/// enters these.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::connect_lanes(unsigned source, protocol::LaneWires& wires) {
  wires.memory = this;
  wires.memory_port = source;
  ports_[source].places = static_cast<std::uint16_t>(params_.core_queue_depth + 1);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::take_held() {
  for (Sources rest = ports_.held & ports_.room_made; rest != 0; rest &= rest - 1) {
    const auto source = static_cast<unsigned>(__builtin_ctzll(rest));
    Port& port = ports_[source];
    if (!port.has_room()) continue;
    ports_.held &= ~bit(source);
    protocol::TargetPort& socket = *port.socket;
    enqueue(source, *socket.held());
    socket.take_held();  // the initiator may send its next request from inside
  }
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::enqueue(unsigned source, protocol::Payload& payload) {
  Port& port = ports_[source];
  Request& request = port.queue.append();  // built in its place: to copy one costs more than to serve it
  request = Request{};
  request.ready = now() + port.request_latency;
  const bool core = ports_.is_core(source);
  reader_.read(core, payload, request);
  if (core && probe_ != nullptr && !payload.is_response_error())
    probe_->on_shared_access(now(), source_, protocol::info_of(payload).origin, request.degree,
                             static_cast<unsigned>(__builtin_popcount(request.unaligned)));
  const bool independent = core && request.independent;
  if (independent) {
    protocol::LaneWires& wires = *request.access->wires;
    ++wires.accesses;
    if (wires.memory != this) connect_lanes(source, wires);
  }
  ++port.in_flight;
  if (port.queue.size() > 1) {
    if (independent) lanes_.accept(source, request);
    return;
  }
  const bool streams = bursts_.join(source, request, now());
  ports_.coming |= bit(source);
  wake_at(streams ? bursts_.end() : request.ready);
}

/// Requests that have reached the banks.
template <class WordBanks>
SPICA_HOT_INLINE void BasicSharedMemory<WordBanks>::come_up(base::Cycle now) {
  for (Sources rest = ports_.coming; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (ports_.head(source).ready > now) continue;
    ports_.come_up(source);
  }
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::tick() {
  const base::Cycle cycle = now();
  if (bursts_.any() && (answers_.has_lanes(cycle) || bursts_.disturbed(cycle))) {
    bursts_.catch_up(cycle - 1);
    bursts_.stop();
  }
  ports_.room_made = 0;
  answers_.send(cycle);
  if (ports_.coming != 0) come_up(cycle);
  if ((ports_.at_banks() & ~bursts_.sources()) != 0) serve(cycle);
  if ((ports_.held & ports_.room_made) != 0) take_held();
  wake_at(std::min(bursts_.plan(cycle), answers_.next(cycle)));
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::serve(base::Cycle now) {
  const unsigned activity = arbiter_.serve(bursts_.sources(), now);
  for (Sources rest = arbiter_.done(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    Request& request = ports_.head(source);
    if (--request.beats == 0) {
      finish(source, now);
    } else {
      request.offset += request.bytes;
      request.banks = map_.span(request.offset, request.bytes);
    }
  }
  stats_.activity.charge_cycle(activity,
                               bursts_.any() ? SharedMemoryStats::kServing : SharedMemoryStats::kIdle, now);
}

/// The head is done.
template <class WordBanks>
SPICA_HOT_INLINE void BasicSharedMemory<WordBanks>::finish(unsigned source, base::Cycle now) {
  Port& port = ports_[source];
  const Request& request = port.queue.front();
  const base::Cycle waited = now - std::max(request.ready, port.free);
  if (ports_.is_core(source)) {
    stats_.bank_conflict_cycles += waited;
    *stats_.waits[source - ports_.first_core] += waited;
    answers_.plan(source, request, request.independent && request.direction == kRead ? request.served : 0,
                  now);
    if (request.independent) --request.access->wires->accesses;
  } else {
    stats_.wide_wait_cycles += waited - request.followers;
    answers_.plan(source, request, 0, now);
  }
  ports_.leave(source, now);
  lanes_.leave(source);
}

template <class WordBanks>
std::uint32_t BasicSharedMemory<WordBanks>::waiting_lanes(unsigned source) const {
  const auto& queue = ports_[source].queue;
  std::uint32_t waiting = 0;
  for (std::size_t i = 0; i < queue.size() && queue[i].ready <= now(); ++i) waiting |= queue[i].left();
  return waiting;
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
