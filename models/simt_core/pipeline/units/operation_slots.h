// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/hot_inline.h"
#include "models/base/types.h"
#include "models/protocol/payload/lane_wires.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/simt_core/pipeline/units/memory_operation.h"
#include "models/simt_core/pipeline/units/memory_ports.h"
#include "models/simt_core/pipeline/units/pending_accesses.h"

namespace spica::simt_core {

/// The memory instructions of a load/store unit from issue to completion, each in a slot, with their requests.
///
/// Commit   stores when the next block has accepted them (peripheral stores when answered); loads and atomics when all
///          lanes have been answered
class OperationSlots {
 public:
  static constexpr unsigned kNone = ~0u;
  static constexpr unsigned kMaxParts = MemoryOperation::kMaxParts;

  /// `first_tag`: of the queue that sends the requests; `wires`: for independent lanes, otherwise nullptr.
  OperationSlots(std::size_t count, std::uint32_t first_tag, protocol::LaneWires* wires, MemoryClient& client,
                 PendingAccesses& accesses)
      : slots_(count), client_(client), accesses_(accesses), wires_(wires), first_tag_(first_tag) {
    reset();
  }

  std::size_t size() const { return slots_.size(); }

  // -- issue
  bool has_free() const { return !free_.empty(); }
  /// Allocates a slot for an instruction; its requests follow by add_part().
  unsigned allocate(const MemoryOperation& operation) {
    const unsigned slot = free_.back();
    free_.pop_back();
    MemoryOperation& place = slots_[slot].operation;
    place.instruction = operation.instruction;  // one by one: the host writes what it has in registers
    place.pc = operation.pc;
    place.mask = operation.mask;
    place.warp = operation.warp;
    place.lanes = operation.lanes;
    place.parts = 0;
    place.special = operation.special;
    if ((operation.special & MemoryOperation::kAsync) == 0) accesses_.begin(operation.warp);
    return slot;
  }
  /// The next result of add_part(), to be filled in before it is certain that there is a request.
  protocol::WarpPayload& draft() { return *draft_; }
  /// Adds a request of slot `slot` for the lanes of one route.
  SPICA_HOT_INLINE protocol::WarpPayload& add_part(unsigned slot, protocol::Route route) {
    Slot& entry = slots_[slot];
    const unsigned part = entry.operation.parts++;
    entry.operation.ports[part] = MemoryPorts::port_of(route);
    protocol::WarpPayload& payload = *draft_;
    draft_ = &pool_.take();
    entry.parts[part] = &payload;
    clear(payload);
    payload.info.tag = first_tag_ | slot;
    return payload;
  }
  /// The same for an asynchronous copy.
  protocol::WarpPayload& add_copy(unsigned slot) {
    protocol::WarpPayload& payload = add_part(slot, protocol::Route::kGlobal);
    payload.info.tag = first_tag_ | MemoryPorts::kAsync | slot;
    payload.access.copy = true;
    return payload;
  }
  /// Creates the request of a passed fence in slot `slot`: without bytes, to global memory.
  protocol::WarpPayload& add_fence_store(unsigned slot) {
    protocol::WarpPayload& store = add_part(slot, protocol::Route::kGlobal);
    slots_[slot].operation.parts = 0;  // the fence does not wait for it
    slots_[slot].operation.special = MemoryOperation::kStoresAfter;
    store.info.timing_only = true;
    return store;
  }
  /// Adds a request for some lanes of `whole`, a request of the slot; initially without lanes.
  protocol::WarpPayload& split(unsigned slot, const protocol::WarpPayload& whole) {
    protocol::WarpPayload& part = pool_.take();
    part.set_command(whole.get_command());
    clear(part);
    part.info = whole.info;
    part.info.tag = first_tag_ | MemoryPorts::kCopy | slot;
    part.access.bytes = whole.access.bytes;
    part.access.address = whole.access.address;
    part.access.data = whole.access.data;
    add_wait(slot);
    return part;
  }

  // -- contents of the slots
  const MemoryOperation& operation(unsigned slot) const { return slots_[slot].operation; }
  protocol::WarpPayload& part(unsigned slot, unsigned number) { return *slots_[slot].parts[number]; }
  /// The index of this request in slot `slot`, in the order of add_part().
  unsigned part_of(unsigned slot, const protocol::WarpAccess& access) const {
    unsigned part = 0;
    while (&slots_[slot].parts[part]->access != &access) ++part;
    return part;
  }
  /// True if the instruction in slot `slot` consists of requests only, without a fence.
  SPICA_HOT_INLINE bool is_plain(unsigned slot) const {
    const MemoryOperation& operation = slots_[slot].operation;
    return operation.parts != 0 &&
           (operation.special & (MemoryOperation::kRelease | MemoryOperation::kAcquire)) == 0;
  }
  /// The cycle of issue, for latency counters.
  base::Cycle& issued(unsigned slot) { return slots_[slot].issued; }
  bool all_free() const { return free_.size() == slots_.size(); }

  // -- completion
  /// The instruction waits for one more item: a request, or a fence.
  void add_wait(unsigned slot) { ++slots_[slot].operation.parts; }
  /// A store of the instruction is sent: its warp waits for the acknowledge.
  void store_begins(unsigned slot) { accesses_.begin(slots_[slot].operation.warp); }
  /// The acknowledge of such a store.
  void store_ends(const protocol::WarpPayload& store) { accesses_.end(store.info.origin.warp); }
  /// Lanes of a load or atomic have been answered.
  SPICA_HOT_INLINE void load_done(unsigned slot, const protocol::WarpAccess& access) {
    const bool last = part_done(slot);
    client_.on_load_data(slot, slots_[slot].operation, access, last);
    if (last) release(slot);
  }
  /// A store is accepted or answered, or a fence has left.
  void store_done(unsigned slot) {
    if (!part_done(slot)) return;
    client_.on_memory_done(slot, slots_[slot].operation);
    release(slot);
  }
  /// A part of an asynchronous copy has landed; it is not one of the warp's pending accesses. True: it was the last
  /// one, and the slot is free.
  bool copy_done(unsigned slot) {
    if (!part_done(slot)) return false;
    free_.push_back(slot);
    return true;
  }
  void drop(protocol::WarpPayload& request) { pool_.drop(request); }

  void reset() {
    free_.clear();
    for (std::size_t slot = slots_.size(); slot-- > 0;) free_.push_back(static_cast<unsigned>(slot));
  }
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    pool_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pool_, slots_, free_, draft_);
  }

 private:
  struct alignas(64) Slot {
    MemoryOperation operation;
    protocol::WarpPayload* parts[kMaxParts] = {};
    base::Cycle issued = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(operation, parts, issued);
    }
  };

  /// Clears state of the payload's earlier request.
  SPICA_HOT_INLINE void clear(protocol::WarpPayload& payload) {
    payload.access.wires = wires_;
    payload.access.row = payload.access.copy = false;
    payload.access.operand = protocol::Operand::kNone;
    payload.access.sharing.destination = 0;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  /// True: it was the last one.
  bool part_done(unsigned slot) { return --slots_[slot].operation.parts == 0; }
  void release(unsigned slot) {
    free_.push_back(slot);
    accesses_.end(slots_[slot].operation.warp);
  }

  std::vector<Slot> slots_;
  std::vector<unsigned> free_;
  MemoryClient& client_;
  PendingAccesses& accesses_;
  protocol::LaneWires* const wires_;
  const std::uint32_t first_tag_;
  protocol::WarpPool pool_;
  protocol::WarpPayload* draft_ = &pool_.take();
};

}  // namespace spica::simt_core
