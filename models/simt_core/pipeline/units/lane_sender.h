// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/simt_core/pipeline/units/lane_buffers.h"
#include "models/simt_core/pipeline/units/memory_outlet.h"
#include "models/simt_core/pipeline/units/operation_slots.h"

namespace spica::simt_core {

/// Between the head of a memory queue and global memory: lanes of an access that wait for older accesses, which shared
/// memory has not accepted, are sent later in a separate request. Shared memory accepts lanes individually (LaneWires).
class LaneSender {
 public:
  LaneSender(OperationSlots& slots, MemoryOutlet& outlet) : slots_(slots), outlet_(outlet) {}

  bool empty() const { return buffers_.empty(); }
  const LaneBuffers& buffers() const { return buffers_; }
  /// Lanes that block accesses to this port.
  std::uint32_t busy(MemoryOutlet::Port port) const {
    return buffers_.lanes() | (port == MemoryOutlet::kGlobal ? outlet_.ports().wires().waiting() : 0);
  }
  /// Tries waiting lanes. Returns those sent.
  std::uint32_t send_waiting() {
    return outlet_.ports().taken(MemoryOutlet::kGlobal) ? 0 : drain(outlet_.ports().wires().waiting());
  }
  /// The access at the head enters the buffers, and its lanes that are not `busy` are sent. False: it cannot enter.
  bool enter(MemoryOutlet::Port port, protocol::WarpPayload& access, unsigned slot, std::uint32_t busy);
  void reset() { buffers_.clear(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(buffers_);
  }

 private:
  std::uint32_t drain(std::uint32_t busy);
  void send(const LaneBuffers::Entry& entry, std::uint32_t lanes);

  OperationSlots& slots_;
  MemoryOutlet& outlet_;
  LaneBuffers buffers_;
};

}  // namespace spica::simt_core
