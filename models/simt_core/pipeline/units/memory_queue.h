// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/hot_inline.h"
#include "models/base/types.h"
#include "models/protocol/address_map.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/sockets.h"
#include "models/simt_core/pipeline/decoded.h"
#include "models/simt_core/pipeline/units/async_copies.h"
#include "models/simt_core/pipeline/units/lane_buffers.h"
#include "models/simt_core/pipeline/units/memory_operation.h"
#include "models/simt_core/pipeline/units/memory_ports.h"
#include "models/simt_core/pipeline/units/pending_accesses.h"
#include "models/simt_core/pipeline/units/peripheral_lanes.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::simt_core {

/// The queue of a load/store unit: takes warp instructions in order and sends them, one warp request (or one
/// peripheral lane) per cycle, to global memory, shared memory or a peripheral.
///
/// Shape    queue of `queue_depth` warp requests; `source_ids` in flight to global and shared memory each
/// Order    requests leave in program order of the core's LSU; responses return in any order
/// Commit   stores when the next block has accepted them (peripheral stores when answered), loads and
///          atomics when all lanes have answered
/// Lanes    lockstep: those of an instruction leave together. independent: those of an access to global memory that stand behind
///          older ones, which shared memory has not taken, leave when these are (LaneBuffers), each in a request of its own;
///          shared memory takes lanes one by one itself (LaneWires)
/// Fence    enters, and takes nothing behind it in, until everything before it, including store acknowledges, is done; then
///          it goes on as a store without bytes to the beginning of global memory (`fence_store`). Atomics with rl have
///          one before them, with aq one after them, without the store
/// Source   vortex core/VX_lsu_unit.sv, libs/VX_mem_scheduler.sv
class MemoryQueue final : public protocol::ResponseHandler {
 public:
  using Port = MemoryPorts::Port;
  static constexpr Port kGlobal = MemoryPorts::kGlobal, kShared = MemoryPorts::kShared,
                        kPeripheral = MemoryPorts::kPeripheral;
  static constexpr unsigned kNoSlot = ~0u;
  static constexpr unsigned kMaxParts = MemoryOperation::kMaxParts;
  using Client = MemoryClient;
  using Operation = MemoryOperation;

  /// `waiting`: instructions that may wait in front of it; `number`: among the queues that share the ports.
  MemoryQueue(const LoadStoreParams& params, std::uint64_t waiting, unsigned lanes, unsigned number,
              Client& client, PendingAccesses& accesses, MemoryPorts& ports);

  // -- issue side: slots hold instructions from issue to completion
  bool has_slot() const { return !free_slots_.empty(); }
  /// Takes a slot for an instruction; its requests follow by add_part().
  unsigned allocate(const Operation& operation) {
    const unsigned slot = free_slots_.back();
    free_slots_.pop_back();
    Operation& place = slots_[slot].operation;
    place.instruction = operation.instruction;  // one by one: the host writes what it has in registers
    place.pc = operation.pc;
    place.mask = operation.mask;
    place.warp = operation.warp;
    place.lanes = operation.lanes;
    place.parts = 0;
    place.special = operation.special;
    if ((operation.special & Operation::kAsync) == 0) accesses_.begin(operation.warp);
    return slot;
  }
  /// What add_part() returns next: to fill while it is not certain that there is a request.
  protocol::WarpPayload& draft() { return *draft_; }
  /// A request of slot `slot` for the lanes of one route.
  SPICA_HOT_INLINE protocol::WarpPayload& add_part(unsigned slot, protocol::Route route) {
    Slot& entry = slots_[slot];
    const unsigned part = entry.operation.parts++;
    entry.operation.ports[part] = MemoryPorts::port_of(route);
    protocol::WarpPayload& payload = *draft_;
    draft_ = &pool_.take();
    entry.parts[part] = &payload;
    payload.access.wires = lanes_apart_;
    payload.access.row = false;
    payload.access.operand = protocol::Operand::kNone;
    payload.access.sharing.destination = 0;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.info.tag = first_tag_ | slot;
    return payload;
  }
  /// The same of an asynchronous copy.
  protocol::WarpPayload& add_copy(unsigned slot) {
    protocol::WarpPayload& payload = add_part(slot, protocol::Route::kGlobal);
    payload.info.tag = first_tag_ | MemoryPorts::kAsync | slot;
    return payload;
  }
  AsyncCopies& copies() { return async_; }

  /// The request that the fence in slot `slot` becomes when it has passed: without bytes, to global memory.
  protocol::WarpPayload& add_fence_store(unsigned slot) {
    protocol::WarpPayload& store = add_part(slot, protocol::Route::kGlobal);
    slots_[slot].operation.parts = 0;  // it is nothing that the fence waits for
    slots_[slot].operation.special = Operation::kStoresAfter;
    store.info.timing_only = true;
    return store;
  }

  Operation& operation(unsigned slot) { return slots_[slot].operation; }
  const Operation& operation(unsigned slot) const { return slots_[slot].operation; }
  /// The instruction in slot `slot` is requests alone, without a fence.
  SPICA_HOT_INLINE bool is_plain(unsigned slot) const {
    const Operation& operation = slots_[slot].operation;
    return operation.parts != 0 && (operation.special & (Operation::kRelease | Operation::kAcquire)) == 0;
  }

  // -- execution side
  bool queue_has_room() const { return queue_.size() <= params_.queue_depth && fences_ == 0; }
  /// Which request of slot `slot` this is, in the order of add_part().
  unsigned part_of(unsigned slot, const protocol::WarpAccess& access) const;
  /// When the instruction issued: kept for latency counters.
  base::Cycle& issued(unsigned slot) { return slots_[slot].issued; }
  /// Moves the requests of slot `slot` (a fence has none) into the queue in cycle `now`, this one or a later one.
  SPICA_HOT_INLINE void enqueue(unsigned slot, base::Cycle now) {
    const Slot& entry = slots_[slot];
    if (entry.operation.parts == 1 && is_plain(slot))
      push({entry.parts[0], now + params_.request_latency, slot, entry.operation.ports[0]});
    else enqueue_all(slot, now);
  }

  /// The next cycle in which it can send something; kNever while it waits for others.
  base::Cycle due() const { return due_; }
  /// Sends what can be sent in this cycle, which is due() or later.
  void tick(base::Cycle now);

  bool idle() const { return free_slots_.size() == slots_.size() && empty(); }
  /// Nothing waits or is under way.
  bool empty() const { return queue_.empty() && outstanding() == 0 && apart_.empty(); }
  /// Requests, without those of asynchronous copies.
  unsigned outstanding() const {
    return in_flight_[kGlobal] + in_flight_[kShared] + in_flight_[kPeripheral] - async_.in_flight();
  }
  bool fence_at_head() const { return !queue_.empty() && queue_.front().payload == nullptr; }
  void reset();
  void dump_state(std::ostream& out) const;
  void add_to(base::Checkpoint& checkpoint);
  void timing(base::Checkpoint& checkpoint);

  /// A neighbour has answered or taken a request, or another queue has left a port.
  void try_again() {
    if (__builtin_expect(async_.has_stores(), 0) && ports_.ready(kShared)) tick_at_once();
    else if (due_ == base::kNever && !queue_.empty()) try_head();
  }
  /// Some lanes of a request have been answered.
  void on_lanes(const protocol::Payload& payload) {
    client_.on_lanes(MemoryPorts::number_in_queue(protocol::info_of(payload).tag));
  }
  // protocol::ResponseHandler; the port numbers are those of MemoryPorts
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;

 private:
  /// One entry of the queue: the lanes of an instruction that take one route, or a fence (no payload).
  struct Item {
    protocol::WarpPayload* payload = nullptr;
    base::Cycle ready = 0;
    unsigned slot = 0;
    Port port = kGlobal;
  };
  struct alignas(64) Slot {
    Operation operation;
    protocol::WarpPayload* parts[kMaxParts] = {};
    base::Cycle issued = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(operation, parts, issued);
    }
  };

  void enqueue_all(unsigned slot, base::Cycle now);
  void push_fence(unsigned slot, base::Cycle now) {
    ++slots_[slot].operation.parts;
    ++fences_;
    push({nullptr, now, slot, kGlobal});
  }
  void pass_fence(unsigned slot, base::Cycle now);
  SPICA_HOT_INLINE void push(const Item& item) {
    if (queue_.empty()) due_ = std::min(due_, item.ready);
    queue_.append() = item;
  }
  bool can_go(const Item& item) const;
  void try_head();
  void send(const Item& item);
  // lanes that go on one by one (memory_queue_lanes.cpp)
  void tick_apart(base::Cycle now);
  std::uint32_t drain(std::uint32_t busy);
  bool send_apart(const Item& item, std::uint32_t busy);
  void send_lanes(const LaneBuffers::Entry& entry, std::uint32_t lanes);
  void send_part(const Item& item);
  void tick_front(base::Cycle now, std::uint32_t busy, bool apart);
  void tick_front_behind(base::Cycle now, std::uint32_t busy);
  bool send_next_lane(const Item& item);
  // asynchronous copies
  void tick_at_once() {
    due_ = 0;
    client_.on_memory_event();
  }
  bool tick_copies(base::Cycle now);
  void on_copied(protocol::WarpPayload& request);
  /// A request, or a fence, of the slot is done. True: it was the last one.
  bool part_done(unsigned slot) { return --slots_[slot].operation.parts == 0; }
  void load_done(unsigned slot, const protocol::WarpAccess& access);
  void store_done(unsigned slot);
  void release(unsigned slot);

  // First what every cycle with requests touches.
  base::Cycle due_ = base::kNever;
  base::BoundedQueue<Item> queue_;
  LaneBuffers apart_;
  unsigned copies_ = 0;  // requests in flight that are not the only ones of their access
  unsigned in_flight_[3] = {0, 0, 0};
  unsigned held_store_[2] = {kNoSlot, kNoSlot};  // stores sent but not yet accepted, by port
  unsigned fences_ = 0;  // in the queue
  base::Cycle answered_ = 0;  // when something in front of one was
  std::vector<Slot> slots_;
  std::vector<unsigned> free_slots_;
  Client& client_;
  PendingAccesses& accesses_;
  MemoryPorts& ports_;
  protocol::LaneWires* const lanes_apart_;  // the wires, of lanes that go on one by one
  const std::uint32_t first_tag_;  // its number among the queues
  const LoadStoreParams params_;
  AsyncCopies async_;
  protocol::WarpPool pool_;
  protocol::WarpPayload* draft_ = &pool_.take();
  PeripheralLanes peripheral_;  // of the head of the queue
};

}  // namespace spica::simt_core
