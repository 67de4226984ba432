// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/stats.h"
#include "models/base/types.h"
#include "models/protocol/transport/ports.h"
#include "models/shared_memory/burst_streams.h"
#include "models/shared_memory/request.h"

namespace spica::shared_memory {

/// A port with its queue. One cache line.
template <class WordBanks>
struct alignas(64) BasicPort {
  BasicPort(protocol::TargetPort& s, std::uint64_t queued, std::uint32_t limit)
      : queue(queued + 1), most_in_flight(limit), places(static_cast<std::uint16_t>(queued)), socket(&s) {}
  bool has_room() const { return queue.size() < places && in_flight < most_in_flight; }
  void reset() {
    queue.clear();
    in_flight = 0;
    free = 0;
    socket->reset();
  }

  base::BoundedQueue<BasicRequest<WordBanks>> queue;
  std::uint32_t in_flight = 0, most_in_flight;
  base::Cycle free = 0;  // first cycle in which the head of the queue can be served
  std::uint16_t places;  // capacity before the banks
  std::uint16_t request_latency = 1;
  std::uint16_t latency[2] = {};  // from the last service to the response, by direction
  protocol::TargetPort* socket;
  base::Counter* words[2] = {};

  /// Not saved: most_in_flight, request_latency, latency.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(queue, in_flight, free, places);
  }
};

/// All ports of a shared memory, wide ports before those of cores, and the state of their heads.
template <class WordBanks>
struct BasicPorts {
  using Port = BasicPort<WordBanks>;
  using Request = BasicRequest<WordBanks>;
  static_assert(sizeof(Port) == 64);

  explicit BasicPorts(unsigned wide_ports) : first_core(wide_ports) {}

  bool is_core(unsigned source) const { return source >= first_core; }
  Port& operator[](unsigned source) { return all[source]; }
  const Port& operator[](unsigned source) const { return all[source]; }
  Request& head(unsigned source) { return all[source].queue.front(); }
  const Request& head(unsigned source) const { return all[source].queue.front(); }
  Sources at_banks() const { return before_banks[kRead] | before_banks[kWrite]; }
  /// Ports with a queued request.
  Sources queued() const { return coming | at_banks(); }

  // -- progress of a head
  /// The head has reached the banks.
  void come_up(unsigned source) {
    const Request& request = head(source);
    coming &= ~bit(source);
    before_banks[request.direction] |= bit(source);
    if (request.unaligned != 0) unaligned_heads |= bit(source);
  }
  /// The head is done in cycle `now`: the next one, if any, follows.
  void leave(unsigned source, base::Cycle now) {
    Port& port = all[source];
    before_banks[port.queue.front().direction] &= ~bit(source);
    unaligned_only &= ~bit(source);
    room_made |= bit(source);
    port.free = now + 1;
    port.queue.drop();
    if (!port.queue.empty()) coming |= bit(source);
  }

  /// Answers a request that has been dequeued.
  void respond(unsigned source, protocol::Payload& payload) {
    --all[source].in_flight;
    room_made |= bit(source);
    all[source].socket->respond(payload);
  }

  void reset() {
    for (Port& port : all) port.reset();
    coming = before_banks[kRead] = before_banks[kWrite] = held = room_made = 0;
    unaligned_heads = unaligned_only = 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(coming, before_banks, unaligned_heads, unaligned_only, held, room_made);
    for (Port& port : all) archive(port);
  }

  // A port with a queued request is in one of these.
  Sources coming = 0;  // the head has not reached the banks
  Sources before_banks[2] = {0, 0};  // the head is at the banks, by direction
  Sources unaligned_heads = 0;  // heads with unaligned lanes left
  Sources unaligned_only = 0;  // heads with unaligned lanes only
  Sources held = 0;  // ports whose socket holds a request
  Sources room_made = 0;  // ports in which a place became free in this cycle

  const unsigned first_core;  // sources from here on are cores
  const Sources wide = bit(first_core) - 1;  // the sources before it
  std::vector<Port> all;  // by source
};

}  // namespace spica::shared_memory
