// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iosfwd>

#include "models/base/bounded_queue.h"
#include "models/base/hot_inline.h"
#include "models/base/types.h"
#include "models/protocol/transport/sockets.h"
#include "models/simt_core/pipeline/units/copy_sender.h"
#include "models/simt_core/pipeline/units/fences.h"
#include "models/simt_core/pipeline/units/lane_sender.h"
#include "models/simt_core/pipeline/units/memory_outlet.h"
#include "models/simt_core/pipeline/units/operation_slots.h"
#include "models/simt_core/pipeline/units/peripheral_lanes.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The queue of a load/store unit: takes warp instructions in order and sends them, one warp request (or one
/// peripheral lane) per cycle, to global memory, shared memory or a peripheral.
///
/// Shape    queue of `queue_depth` warp requests
/// Order    requests leave in program order of the core's LSU; responses return in any order
/// Lanes    lockstep: the lanes of an instruction are sent together. independent: see LaneSender
/// Fence    fence_waits core: while one is in the queue, nothing enters after it. When all earlier accesses are complete, including store
///          acknowledges, it is sent as a store without bytes to the beginning of global memory (`fence_store`). Atomics
///          with rl have a fence before them, with aq one after them, without the store. warp: it passes at once
/// Parts    the instructions are in OperationSlots; on the way to the sockets are MemoryOutlet, before it
///          PeripheralLanes, LaneSender and CopySender
/// Source   vortex core/VX_lsu_unit.sv, libs/VX_mem_scheduler.sv
class MemoryQueue final : public protocol::ResponseHandler {
 public:
  /// `number`: number among the queues that share the ports.
  MemoryQueue(const LoadStoreParams& params, unsigned lanes, unsigned number, OperationSlots& slots,
              MemoryClient& client, MemoryPorts& ports);

  AsyncCopies& copies() { return copies_.copies(); }
  bool has_room() const { return queue_.size() <= params_.queue_depth && !fences_.any(); }
  /// Moves the requests of slot `slot` (a fence has none) into the queue in cycle `now`, which is this one or a later
  /// one.
  SPICA_HOT_INLINE void enqueue(unsigned slot, base::Cycle now) {
    const MemoryOperation& operation = slots_.operation(slot);
    if (operation.parts == 1 && slots_.is_plain(slot))
      push({&slots_.part(slot, 0), now + params_.request_latency, slot, operation.ports[0]});
    else enqueue_all(slot, now);
  }

  /// The next cycle in which it can send; kNever while it waits for others.
  base::Cycle due() const { return due_; }
  /// Sends as much as possible in this cycle, which is due() or later.
  void tick(base::Cycle now);

  /// True if nothing waits or is in flight.
  bool empty() const { return queue_.empty() && all_answered(); }
  bool fence_at_head() const { return !queue_.empty() && queue_.front().payload == nullptr; }
  void reset();
  void dump_state(std::ostream& out) const;

  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    peripheral_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(due_, queue_, lanes_, outlet_, fences_, copies_, peripheral_);
  }

  /// A neighbour has answered or accepted a request, or another queue has released a port.
  void try_again() {
    if (__builtin_expect(copies_.has_stores(), 0) && outlet_.ports().ready(kShared)) tick_at_once();
    else if (due_ == base::kNever && !queue_.empty()) try_head();
  }
  /// Some lanes of a request have been answered.
  void on_lanes(const protocol::Payload& payload) {
    client_.on_lanes(slots_.operation(MemoryPorts::number_in_queue(protocol::info_of(payload).tag)));
  }
  // protocol::ResponseHandler; the port numbers are those of MemoryPorts
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;

 private:
  using Port = MemoryPorts::Port;
  static constexpr Port kGlobal = MemoryPorts::kGlobal, kShared = MemoryPorts::kShared,
                        kPeripheral = MemoryPorts::kPeripheral;

  /// One entry of the queue: the lanes of an instruction that take one route, or a fence (no payload).
  struct Item {
    protocol::WarpPayload* payload = nullptr;
    base::Cycle ready = 0;
    unsigned slot = 0;
    Port port = kGlobal;
  };

  bool all_answered() const { return outlet_.outstanding() == 0 && lanes_.empty(); }
  void enqueue_all(unsigned slot, base::Cycle now);
  void push_fence(unsigned slot, base::Cycle now) {
    slots_.add_wait(slot);
    fences_.enter();
    push({nullptr, now, slot, kGlobal});
  }
  void pass_fence(unsigned slot, base::Cycle now);
  SPICA_HOT_INLINE void push(const Item& item) {
    if (queue_.empty()) due_ = std::min(due_, item.ready);
    queue_.append() = item;
  }
  bool can_send(const Item& item) const;
  void try_head();
  void tick_front(base::Cycle now, std::uint32_t busy, bool apart);
  void tick_fence(base::Cycle now);
  void tick_lanes(base::Cycle now);
  bool tick_copies(base::Cycle now);
  bool send_next_lane(const Item& item);
  void resume(base::Cycle now) {
    due_ = queue_.empty() ? base::kNever : std::max(queue_.front().ready, now + 1);
  }
  void tick_at_once() {
    due_ = 0;
    client_.on_memory_event();
  }

  // Members of every cycle with requests come first.
  base::Cycle due_ = base::kNever;
  base::BoundedQueue<Item> queue_;
  OperationSlots& slots_;
  MemoryOutlet outlet_;
  LaneSender lanes_{slots_, outlet_};
  Fences fences_;
  MemoryClient& client_;
  const LoadStoreParams params_;
  CopySender copies_;
  PeripheralLanes peripheral_;  // of the head of the queue
};

}  // namespace spica::simt_core
