// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/memory_queue.h"

#include <algorithm>

#include "models/base/hot_inline.h"

namespace spica::simt_core {

MemoryQueue::MemoryQueue(const LoadStoreParams& params, std::uint64_t waiting, unsigned lanes,
                         unsigned number, Client& client, PendingAccesses& accesses, MemoryPorts& ports)
    : queue_(params.queue_depth + kMaxParts),
      slots_(params.queue_depth + 2 * params.source_ids + waiting),
      client_(client),
      accesses_(accesses),
      ports_(ports),
      lanes_apart_(params.lanes == Lanes::kIndependent ? &ports.wires() : nullptr),
      first_tag_(MemoryPorts::first_tag(number)),
      params_(params),
      async_(static_cast<unsigned>(slots_.size()), lanes),
      peripheral_(first_tag_) {
  ports_.attach(*this, number);
  reset();
}

void MemoryQueue::reset() {
  queue_.clear();
  due_ = base::kNever;
  free_slots_.clear();
  for (std::size_t slot = slots_.size(); slot-- > 0;) free_slots_.push_back(static_cast<unsigned>(slot));
  fences_ = copies_ = 0;
  apart_.clear();
  async_.reset();
  answered_ = 0;
  for (unsigned& count : in_flight_) count = 0;
  held_store_[kGlobal] = held_store_[kShared] = kNoSlot;
  peripheral_.reset();
}

unsigned MemoryQueue::part_of(unsigned slot, const protocol::WarpAccess& access) const {
  unsigned part = 0;
  while (&slots_[slot].parts[part]->access != &access) ++part;
  return part;
}

/// A fence alone, several requests, or those of an atomic between fences.
void MemoryQueue::enqueue_all(unsigned slot, base::Cycle now) {
  Operation& operation = slots_[slot].operation;
  const unsigned requests = operation.parts;
  const bool passes = requests == 0 && empty();
  if (requests == 0 || (operation.special & Operation::kRelease) != 0) push_fence(slot, now);
  for (unsigned i = 0; i < requests; ++i)
    push({slots_[slot].parts[i], now + params_.request_latency, slot, operation.ports[i]});
  if ((operation.special & Operation::kAcquire) != 0) push_fence(slot, now);
  if (!passes) return;
  queue_.drop();
  due_ = base::kNever;
  pass_fence(slot, now);
}

/// The fence leaves in cycle `now`. What it becomes is nobody's access.
void MemoryQueue::pass_fence(unsigned slot, base::Cycle now) {
  --fences_;
  if ((slots_[slot].operation.special & Operation::kStoresAfter) != 0)
    push({slots_[slot].parts[0], now + params_.request_latency, kNoSlot, kGlobal});
  store_done(slot);
}

/// The neighbours let it proceed: a free request id and socket, for a fence that everything before it is done,
/// for a peripheral access that the socket takes the next lane or all lanes have answered.
bool MemoryQueue::can_go(const Item& item) const {
  if (item.payload == nullptr) return outstanding() == 0 && apart_.empty();
  if (item.port == kPeripheral && !peripheral_.unsent()) return peripheral_.answered();
  return ports_.ready(item.port) &&
         (item.port == kPeripheral || in_flight_[item.port] < params_.source_ids + copies_);
}

inline void MemoryQueue::release(unsigned slot) {
  free_slots_.push_back(slot);
  accesses_.end(slots_[slot].operation.warp);
}

SPICA_HOT_INLINE void MemoryQueue::load_done(unsigned slot, const protocol::WarpAccess& access) {
  const bool last = part_done(slot);
  client_.on_load_data(slot, access, last);
  if (last) release(slot);
}

/// A store is accepted or answered, or a fence has left.
void MemoryQueue::store_done(unsigned slot) {
  if (!part_done(slot)) return;
  client_.on_memory_done(slot);
  release(slot);
}

SPICA_HOT_INLINE void MemoryQueue::send(const Item& item) {
  ++in_flight_[item.port];
  if (__builtin_expect(MemoryPorts::is_async(item.payload->info.tag), 0)) ++async_.in_flight();
  const bool store = item.payload->is_write();
  const unsigned slot = item.slot;
  const Port port = item.port;
  if (__builtin_expect(store, 0) && slot != kNoSlot)
    accesses_.begin(slots_[slot].operation.warp);  // before send(): the response may come at once
  ports_.send(port, *item.payload);
  if (!store || slot == kNoSlot) return;
  if (ports_.ready(port)) store_done(slot);
  else held_store_[port] = slot;
}

void MemoryQueue::tick(base::Cycle now) {
  if (__builtin_expect(async_.has_stores(), 0) && tick_copies(now)) return;
  if (__builtin_expect(apart_.empty(), 1)) tick_front(now, 0, false);
  else tick_apart(now);
}

/// Sends the head of the queue, or what can be sent of it; `busy`: lanes that have sent something in this cycle; `apart`:
/// or lanes stand behind others of their access.
SPICA_HOT_INLINE void MemoryQueue::tick_front(base::Cycle now, std::uint32_t busy, bool apart) {
  const Item& item = queue_.front();
  bool leaves = true;
  if (!can_go(item)) {
    if (item.payload == nullptr) ports_.tell_drain();
    due_ = base::kNever;  // until try_again()
    return;
  }
  if (item.payload != nullptr && ports_.taken(item.port)) {
    due_ = now + 1;
    return;
  }
  if (item.payload == nullptr) {
    if (answered_ + params_.fence_latency > now) {
      due_ = answered_ + params_.fence_latency;
      return;
    }
    const unsigned slot = item.slot;
    queue_.drop();
    due_ = queue_.empty() ? base::kNever : std::max(queue_.front().ready, now + 1);
    return pass_fence(slot, now);
  }
  if (__builtin_expect(apart || (item.port == kGlobal && ports_.wires().accesses != 0), 0)) {
    // Shared memory itself lets each lane have its turn.
    busy |= apart_.lanes() | (item.port == kGlobal ? ports_.wires().waiting() : 0);
    if (__builtin_expect((busy & item.payload->access.mask) != 0, 0)) {
      if (send_apart(item, busy)) queue_.drop();
      due_ = now + 1;
      return;
    }
  }
  if (item.port == kPeripheral) leaves = send_next_lane(item);
  else send(item);
  if (leaves) queue_.drop();
  due_ = queue_.empty() ? base::kNever : std::max(queue_.front().ready, now + 1);
}

void MemoryQueue::tick_front_behind(base::Cycle now, std::uint32_t busy) { tick_front(now, busy, true); }

void MemoryQueue::send_part(const Item& item) { send(item); }

void MemoryQueue::try_head() {
  if (!can_go(queue_.front())) return;
  due_ = queue_.front().payload == nullptr ? answered_ + params_.fence_latency : 0;
  client_.on_memory_event();
}

/// Sends one lane of a peripheral access. True when the whole access has been answered; until then it
/// stays at the head of the queue, so peripheral accesses of a core never overlap or overtake.
bool MemoryQueue::send_next_lane(const Item& item) {
  protocol::WarpPayload& payload = *item.payload;
  peripheral_.begin(payload);
  if (peripheral_.unsent() && ports_.ready(kPeripheral) && !ports_.taken(kPeripheral)) {
    ++in_flight_[kPeripheral];
    ports_.send(kPeripheral, peripheral_.next());
  }
  if (!peripheral_.answered()) return false;
  const unsigned slot = item.slot;
  peripheral_.end();
  if (payload.is_read()) load_done(slot, payload.access);
  else store_done(slot);
  pool_.drop(payload);
  return true;
}

void MemoryQueue::on_response(unsigned port, protocol::Payload& payload) {
  --in_flight_[port];
  if (fences_ != 0) answered_ = ports_.now();
  if (payload.is_response_error()) client_.on_access_error(payload);
  if (port == kPeripheral) {
    peripheral_.answer(payload);
  } else {
    auto& request = static_cast<protocol::WarpPayload&>(payload);
    if (__builtin_expect(MemoryPorts::is_async(request.info.tag), 0)) {
      on_copied(request);
      return try_again();
    }
    if (MemoryPorts::is_copy(request.info.tag)) --copies_;
    if (request.is_read()) {
      const auto slot = MemoryPorts::number_in_queue(request.info.tag);
      if (port == kGlobal) ports_.wires().answered = ports_.now();
      load_done(slot, request.access);
    } else if (request.info.timing_only) {
      request.info.timing_only = false;  // the payload comes back as another request
    } else {
      accesses_.end(request.info.origin.warp);
    }
    pool_.drop(request);
  }
  try_again();
}

void MemoryQueue::on_ready(unsigned port) {
  if (port != kPeripheral && held_store_[port] != kNoSlot) {
    const unsigned slot = held_store_[port];
    held_store_[port] = kNoSlot;
    store_done(slot);
  }
  try_again();
}

}  // namespace spica::simt_core
