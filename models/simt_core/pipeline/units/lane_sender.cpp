// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/lane_sender.h"

namespace spica::simt_core {

/// Sends what can be sent of lanes that are not `busy`. Returns which have.
std::uint32_t LaneSender::drain(std::uint32_t busy) {
  return buffers_.drain(busy, [this](const LaneBuffers::Entry& entry, std::uint32_t lanes) {
    if (!outlet_.ports().ready(MemoryOutlet::kGlobal)) return false;
    send(entry, lanes);
    return true;
  });
}

bool LaneSender::enter(MemoryOutlet::Port port, protocol::WarpPayload& access, unsigned slot,
                       std::uint32_t busy) {
  // An atomic leaves as a whole, and so does what the unit itself has cut.
  if (port != MemoryOutlet::kGlobal || slot == OperationSlots::kNone ||
      access.info.atomic != protocol::Atomic::kNone ||
      (slots_.operation(slot).special & MemoryOperation::kBytewise) != 0 ||
      outlet_.ports().wires().accesses + buffers_.size() >= LaneBuffers::kApart)
    return false;
  buffers_.enter(access, slot);
  drain(busy);
  return true;
}

/// Sends a request for some lanes of an access, and the access itself with the last ones.
void LaneSender::send(const LaneBuffers::Entry& entry, std::uint32_t lanes) {
  protocol::WarpPayload* request = entry.payload;
  if (lanes != entry.lanes) {
    request = &slots_.split(entry.slot, *entry.payload);
    outlet_.begin_split();
  }
  request->access.mask = request->info.origin.lanes = lanes;
  request->set_address(request->access.address[static_cast<unsigned>(__builtin_ctz(lanes))]);
  outlet_.send(MemoryOutlet::kGlobal, *request, entry.slot);
}

}  // namespace spica::simt_core
