// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/lane_wires.h"
#include "models/protocol/transport/sockets.h"
#include "models/simt_core/pipeline/memory_hints.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::simt_core {

class MemoryQueue;

/// The three sockets of a core to memory, shared by the queues of its load/store units: one request per socket and
/// cycle. If several queues need a socket, the unit ticked first gets it.
class MemoryPorts final : public protocol::ResponseHandler, private protocol::LaneWires {
 public:
  enum Port : std::uint8_t { kGlobal, kShared, kPeripheral };
  static Port port_of(protocol::Route route) {
    static_assert(static_cast<int>(protocol::Route::kGlobal) == kGlobal &&
                  static_cast<int>(protocol::Route::kShared) == kShared &&
                  static_cast<int>(protocol::Route::kPeripheral) == kPeripheral);
    return static_cast<Port>(route);
  }

  MemoryPorts(base::Component& core, const MemoryHints& hints, protocol::InitiatorPort& gmem,
              protocol::InitiatorPort& smem, protocol::InitiatorPort& mmio)
      : core_(core), hints_(hints), sockets_{&gmem, &smem, &mmio} {}
  /// A single queue is attached to the sockets directly.
  void attach(MemoryQueue& queue, unsigned number);

  // The contents of a request's tag, to route its response: number of its queue, number within the queue, and kind.
  static std::uint32_t first_tag(unsigned queue) { return queue << kQueueShift; }
  static constexpr unsigned kQueueShift = 24;
  static constexpr std::uint32_t kCopy =
      1u << (kQueueShift - 1);  // for some of the lanes of one that is sent as well
  static constexpr std::uint32_t kAsync = kCopy >> 1;  // a part of an asynchronous copy
  static bool is_async(std::uint64_t tag) { return (tag & kAsync) != 0; }
  static bool is_copy(std::uint64_t tag) { return (tag & kCopy) != 0; }
  static unsigned number_in_queue(std::uint64_t tag) { return static_cast<unsigned>(tag) & kNumberMask; }

  base::Cycle now() const { return core_.now(); }
  /// For independent lanes.
  protocol::LaneWires& wires() { return *this; }
  /// True if the socket accepts a request.
  bool ready(Port port) const { return sockets_[port]->ready(); }
  /// True if another queue has sent a request in this cycle.
  bool taken(Port port) const { return several_ && last_[port] == core_.now(); }
  void send(Port port, protocol::Payload& payload) {
    if (several_) last_[port] = core_.now();
    sockets_[port]->send(payload);
  }
  /// All warps of the core wait for their accesses.
  void notify_drain() const { hints_.drain(~0u); }
  void reset();

  // Not saved: several_.
  void add_to(base::Checkpoint& checkpoint);
  void timing(base::Checkpoint& checkpoint);

 private:
  static constexpr std::uint32_t kNumberMask = kAsync - 1;
  // protocol::ResponseHandler: for several queues
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;
  // protocol::LaneWires
  void on_lanes(protocol::Payload& payload, std::uint32_t lanes) override;

  base::Component& core_;
  const MemoryHints& hints_;
  std::array<protocol::InitiatorPort*, 3> sockets_;
  std::vector<MemoryQueue*> queues_;
  bool several_ = false;
  std::array<base::Cycle, 3> last_{};  // by port: the cycle of the last request, with several queues
};

}  // namespace spica::simt_core
