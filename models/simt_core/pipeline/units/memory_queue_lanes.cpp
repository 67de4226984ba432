// SPDX-License-Identifier: Apache-2.0
// Lanes of accesses to global memory that leave at different times.
#include "models/simt_core/pipeline/units/memory_queue.h"

namespace spica::simt_core {

/// Some lanes stand behind others of their access.
void MemoryQueue::tick_apart(base::Cycle now) {
  std::uint32_t sent = 0;
  if (!ports_.taken(kGlobal)) sent = drain(ports_.wires().waiting());
  due_ = queue_.empty() ? base::kNever : queue_.front().ready;
  if (due_ <= now) tick_front_behind(now, sent);
  if (!apart_.empty()) due_ = now + 1;
}

/// Sends what can be sent of lanes that are not `busy`. Returns which have.
std::uint32_t MemoryQueue::drain(std::uint32_t busy) {
  return apart_.drain(busy, [this](const LaneBuffers::Entry& entry, std::uint32_t lanes) {
    if (!ports_.ready(kGlobal)) return false;
    send_lanes(entry, lanes);
    return true;
  });
}

/// The head of the queue enters the lanes' buffers, and lanes that are not `busy` leave. False: it cannot enter.
bool MemoryQueue::send_apart(const Item& item, std::uint32_t busy) {
  protocol::WarpPayload& payload = *item.payload;
  // An atomic leaves as a whole, and so does what the unit itself has cut.
  if (item.port != kGlobal || item.slot == kNoSlot || payload.info.atomic != protocol::Atomic::kNone ||
      (slots_[item.slot].operation.special & Operation::kBytewise) != 0 ||
      ports_.wires().accesses + apart_.size() >= LaneBuffers::kApart)
    return false;
  apart_.enter(payload, item.slot);
  drain(busy);
  return true;
}

/// Sends a request for some lanes of an access, and the access itself with the last ones.
void MemoryQueue::send_lanes(const LaneBuffers::Entry& entry, std::uint32_t lanes) {
  protocol::WarpPayload* request = entry.payload;
  if (lanes != entry.lanes) {
    request = &pool_.take();
    request->set_command(entry.payload->get_command());
    request->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    request->info = entry.payload->info;
    request->info.tag = first_tag_ | MemoryPorts::kCopy | entry.slot;
    request->access.bytes = entry.payload->access.bytes;
    request->access.wires = lanes_apart_;
    request->access.row = false;
    request->access.operand = protocol::Operand::kNone;
    request->access.sharing.destination = 0;
    request->access.address = entry.payload->access.address;
    request->access.data = entry.payload->access.data;
    ++slots_[entry.slot].operation.parts;
    ++copies_;
  }
  request->access.mask = request->info.origin.lanes = lanes;
  request->set_address(request->access.address[static_cast<unsigned>(__builtin_ctz(lanes))]);
  send_part({request, 0, entry.slot, kGlobal});
}

}  // namespace spica::simt_core
