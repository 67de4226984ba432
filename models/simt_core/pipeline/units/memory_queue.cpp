// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/memory_queue.h"

#include <fmt/ostream.h>

#include <ostream>

namespace spica::simt_core {

MemoryQueue::MemoryQueue(const LoadStoreParams& params, unsigned lanes, unsigned number,
                         OperationSlots& slots, MemoryClient& client, MemoryPorts& ports)
    : queue_(params.queue_depth + OperationSlots::kMaxParts),
      slots_(slots),
      outlet_(ports, slots, params.source_ids),
      fences_(params.fence_latency),
      client_(client),
      params_(params),
      copies_(lanes, slots, outlet_),
      peripheral_(MemoryPorts::first_tag(number)) {
  ports.attach(*this, number);
  reset();
}

void MemoryQueue::reset() {
  queue_.clear();
  due_ = base::kNever;
  fences_.reset();
  lanes_.reset();
  copies_.reset();
  outlet_.reset();
  peripheral_.reset();
}

/// A fence alone, several requests, or those of an atomic between fences.
void MemoryQueue::enqueue_all(unsigned slot, base::Cycle now) {
  const MemoryOperation& operation = slots_.operation(slot);
  const unsigned requests = operation.parts;
  if (requests == 0 && params_.fence_waits == FenceWaits::kWarp) {  // its warp has waited before it issued
    slots_.add_wait(slot);
    return slots_.store_done(slot);
  }
  const bool passes = requests == 0 && empty();
  if (requests == 0 || (operation.special & MemoryOperation::kRelease) != 0) push_fence(slot, now);
  for (unsigned i = 0; i < requests; ++i)
    push({&slots_.part(slot, i), now + params_.request_latency, slot, operation.ports[i]});
  if ((operation.special & MemoryOperation::kAcquire) != 0) push_fence(slot, now);
  if (!passes) return;
  queue_.drop();
  due_ = base::kNever;
  pass_fence(slot, now);
}

/// The fence leaves in cycle `now`. Its store is not charged to any instruction.
void MemoryQueue::pass_fence(unsigned slot, base::Cycle now) {
  fences_.leave();
  if ((slots_.operation(slot).special & MemoryOperation::kStoresAfter) != 0)
    push({&slots_.part(slot, 0), now + params_.request_latency, OperationSlots::kNone, kGlobal});
  slots_.store_done(slot);
}

/// The neighbours let it proceed: a free request id and socket, for a fence that everything before it is done,
/// for a peripheral access that the socket takes the next lane or all lanes have answered.
bool MemoryQueue::can_send(const Item& item) const {
  if (item.payload == nullptr) return all_answered();
  if (item.port == kPeripheral && !peripheral_.unsent()) return peripheral_.answered();
  return outlet_.takes(item.port);
}

void MemoryQueue::tick(base::Cycle now) {
  if (__builtin_expect(copies_.has_stores(), 0) && tick_copies(now)) return;
  if (__builtin_expect(lanes_.empty(), 1)) tick_front(now, 0, false);
  else tick_lanes(now);
}

/// Sends the head of the queue, or what can be sent of it; `busy`: lanes that have sent something in this cycle;
/// `apart`: or lanes are behind others of their access.
SPICA_HOT_INLINE void MemoryQueue::tick_front(base::Cycle now, std::uint32_t busy, bool apart) {
  const Item& item = queue_.front();
  bool leaves = true;
  if (!can_send(item)) {
    if (item.payload == nullptr) outlet_.ports().notify_drain();
    due_ = base::kNever;  // until try_again()
    return;
  }
  if (item.payload == nullptr) return tick_fence(now);
  if (outlet_.ports().taken(item.port)) {
    due_ = now + 1;
    return;
  }
  if (__builtin_expect(apart || (item.port == kGlobal && outlet_.ports().wires().accesses != 0), 0)) {
    // Shared memory itself lets each lane have its turn.
    busy |= lanes_.busy(item.port);
    if (__builtin_expect((busy & item.payload->access.mask) != 0, 0)) {
      if (lanes_.enter(item.port, *item.payload, item.slot, busy)) queue_.drop();
      due_ = now + 1;
      return;
    }
  }
  if (item.port == kPeripheral) leaves = send_next_lane(item);
  else outlet_.send(item.port, *item.payload, item.slot);
  if (leaves) queue_.drop();
  resume(now);
}

/// The fence at the head, before which everything is done, leaves or waits for its time.
void MemoryQueue::tick_fence(base::Cycle now) {
  if (fences_.due() > now) {
    due_ = fences_.due();
    return;
  }
  const unsigned slot = queue_.front().slot;
  queue_.drop();
  resume(now);
  pass_fence(slot, now);
}

/// Some lanes are behind others of their access.
[[gnu::noinline]] void MemoryQueue::tick_lanes(base::Cycle now) {
  const std::uint32_t sent = lanes_.send_waiting();
  due_ = queue_.empty() ? base::kNever : queue_.front().ready;
  if (due_ <= now) tick_front(now, sent, true);
  if (!lanes_.empty()) due_ = now + 1;
}

/// What asynchronous copies have read goes to shared memory before the head of the queue. True: that is all in this
/// cycle.
[[gnu::noinline]] bool MemoryQueue::tick_copies(base::Cycle now) {
  const base::Cycle head = queue_.empty() ? base::kNever : queue_.front().ready;
  if (copies_.send()) {
    due_ = copies_.has_stores() ? now + 1 : std::max(head, now + 1);
    return true;
  }
  if (head <= now) return false;
  due_ = outlet_.ports().taken(kShared) ? now + 1 : head;
  return true;
}

void MemoryQueue::try_head() {
  if (!can_send(queue_.front())) return;
  due_ = queue_.front().payload == nullptr ? fences_.due() : 0;
  client_.on_memory_event();
}

/// Sends one lane of a peripheral access. True when the whole access has been answered; until then it
/// stays at the head of the queue, so peripheral accesses of a core never overlap or overtake.
bool MemoryQueue::send_next_lane(const Item& item) {
  protocol::WarpPayload& payload = *item.payload;
  peripheral_.begin(payload);
  if (peripheral_.unsent() && outlet_.ports().ready(kPeripheral) && !outlet_.ports().taken(kPeripheral))
    outlet_.send_plain(kPeripheral, peripheral_.next());
  if (!peripheral_.answered()) return false;
  const unsigned slot = item.slot;
  peripheral_.end();
  if (payload.is_read()) slots_.load_done(slot, payload.access);
  else slots_.store_done(slot);
  slots_.drop(payload);
  return true;
}

void MemoryQueue::on_response(unsigned port, protocol::Payload& payload) {
  MemoryPorts& ports = outlet_.ports();
  outlet_.answered(port);
  fences_.answered(ports.now());
  if (payload.is_response_error()) client_.on_access_error(payload);
  if (port == kPeripheral) {
    peripheral_.answer(payload);
    return try_again();
  }
  auto& request = static_cast<protocol::WarpPayload&>(payload);
  const auto slot = MemoryPorts::number_in_queue(request.info.tag);
  if (__builtin_expect(MemoryPorts::is_async(request.info.tag), 0)) {
    const CopySender::Answer answer = copies_.answered(slot, request);
    if (answer == CopySender::Answer::kStore) tick_at_once();
    else if (answer == CopySender::Answer::kLanded) client_.on_copies_landed(slots_.operation(slot).warp);
    return try_again();
  }
  if (MemoryPorts::is_copy(request.info.tag)) outlet_.end_split();
  if (request.is_read()) {
    if (port == kGlobal) ports.wires().answered = ports.now();
    slots_.load_done(slot, request.access);
  } else if (request.info.timing_only) {
    request.info.timing_only = false;  // the payload comes back as another request
  } else {
    slots_.store_ends(request);
  }
  slots_.drop(request);
  try_again();
}

void MemoryQueue::on_ready(unsigned port) {
  outlet_.accepted(port);
  try_again();
}

void MemoryQueue::dump_state(std::ostream& out) const {
  fmt::print(out, "  load/store unit: {} queued, in flight: {} global, {} shared, {} peripheral\n",
             queue_.size(), outlet_.in_flight(kGlobal), outlet_.in_flight(kShared),
             outlet_.in_flight(kPeripheral));
  for (const LaneBuffers::Entry& entry : lanes_.buffers().entries()) {
    const MemoryOperation& operation = slots_.operation(entry.slot);
    fmt::print(out, "    warp {} pc {:#010x}: lanes {:#04x} wait for other lanes of theirs\n", operation.warp,
               operation.pc, entry.lanes);
  }
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Item& item = queue_[i];
    if (item.slot == OperationSlots::kNone) {
      fmt::print(out, "    store of a fence\n");
      continue;
    }
    const MemoryOperation& operation = slots_.operation(item.slot);
    if (item.payload == nullptr)
      fmt::print(out, "    warp {} pc {:#010x}: fence\n", operation.warp, operation.pc);
    else
      fmt::print(out, "    warp {} pc {:#010x}: {} {:#010x} lanes {:#04x}\n", operation.warp, operation.pc,
                 item.payload->is_read() ? "load" : "store", item.payload->get_address(),
                 item.payload->access.mask);
  }
}

}  // namespace spica::simt_core
