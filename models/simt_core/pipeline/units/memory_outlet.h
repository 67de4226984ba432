// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "models/base/hot_inline.h"
#include "models/simt_core/pipeline/units/memory_ports.h"
#include "models/simt_core/pipeline/units/operation_slots.h"

namespace spica::simt_core {

/// The requests of a memory queue that are in flight: their number per port, and the stores not accepted yet.
///
/// Shape    `source_ids` in flight to global and shared memory each; requests that are not the only ones of their
///          access need no id
class MemoryOutlet {
 public:
  using Port = MemoryPorts::Port;
  static constexpr Port kGlobal = MemoryPorts::kGlobal, kShared = MemoryPorts::kShared,
                        kPeripheral = MemoryPorts::kPeripheral;

  MemoryOutlet(MemoryPorts& ports, OperationSlots& slots, std::uint64_t source_ids)
      : ports_(ports), slots_(slots), source_ids_(source_ids) {}

  const MemoryPorts& ports() const { return ports_; }
  MemoryPorts& ports() { return ports_; }
  /// True if the socket accepts a request and an id is free.
  bool takes(Port port) const {
    return ports_.ready(port) && (port == kPeripheral || in_flight_[port] < source_ids_ + split_);
  }
  /// The same for background requests, within the number of ids.
  bool takes_background(Port port) const { return ports_.ready(port) && in_flight_[port] < source_ids_; }

  /// Sends a request of the instruction in `slot`; kNone: of no instruction.
  SPICA_HOT_INLINE void send(Port port, protocol::WarpPayload& request, unsigned slot) {
    ++in_flight_[port];
    if (__builtin_expect(MemoryPorts::is_async(request.info.tag), 0)) ++background_;
    const bool store = request.is_write();
    const bool counts = slot != OperationSlots::kNone;
    if (__builtin_expect(store, 0) && counts)
      slots_.store_begins(slot);  // called before, because it may be answered at once
    ports_.send(port, request);
    if (!store || !counts) return;
    if (ports_.ready(port)) slots_.store_done(slot);
    else held_store_[port] = slot;
  }
  /// Sends a request that is counted only until its answer.
  void send_plain(Port port, protocol::Payload& request) {
    ++in_flight_[port];
    ports_.send(port, request);
  }
  void send_background(Port port, protocol::Payload& request) {
    ++background_;
    send_plain(port, request);
  }
  /// Counts a request that is not the only one of its access.
  void begin_split() { ++split_; }
  void end_split() { --split_; }
  void answered(unsigned port) { --in_flight_[port]; }
  void background_answered() { --background_; }
  /// The socket has passed on the request it held: a store is accepted.
  void accepted(unsigned port) {
    if (port == kPeripheral || held_store_[port] == OperationSlots::kNone) return;
    slots_.store_done(std::exchange(held_store_[port], OperationSlots::kNone));
  }

  unsigned in_flight(Port port) const { return in_flight_[port]; }
  /// Number of requests that the queue or a warp waits for, without background requests.
  unsigned outstanding() const {
    return in_flight_[kGlobal] + in_flight_[kShared] + in_flight_[kPeripheral] - background_;
  }

  void reset() {
    in_flight_.fill(0);
    held_store_.fill(OperationSlots::kNone);
    split_ = background_ = 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(in_flight_, held_store_, split_, background_);
  }

 private:
  MemoryPorts& ports_;
  OperationSlots& slots_;
  const std::uint64_t source_ids_;
  std::array<unsigned, 3> in_flight_{};  // by port
  std::array<unsigned, 2> held_store_{OperationSlots::kNone, OperationSlots::kNone};  // slots, by port
  unsigned split_ = 0;  // requests in flight that are not the only ones of their access
  unsigned background_ = 0;  // requests in flight of asynchronous copies
};

}  // namespace spica::simt_core
