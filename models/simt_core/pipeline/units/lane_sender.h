// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/simt_core/pipeline/units/lane_buffers.h"
#include "models/simt_core/pipeline/units/memory_outlet.h"
#include "models/simt_core/pipeline/units/operation_slots.h"

namespace spica::simt_core {

/// Between the head of a memory queue and global memory: lanes of an access that are behind older ones, which shared
/// memory has not taken, leave when these are, each time in a request of their own. Shared memory itself takes lanes
/// one by one (LaneWires).
class LaneSender {
 public:
  LaneSender(OperationSlots& slots, MemoryOutlet& outlet) : slots_(slots), outlet_(outlet) {}

  bool empty() const { return buffers_.empty(); }
  const LaneBuffers& buffers() const { return buffers_; }
  /// Lanes for which an access to this port has to wait.
  std::uint32_t busy(MemoryOutlet::Port port) const {
    return buffers_.lanes() | (port == MemoryOutlet::kGlobal ? outlet_.ports().wires().waiting() : 0);
  }
  /// Lanes that wait have their turn. Returns which have sent.
  std::uint32_t send_waiting() {
    return outlet_.ports().taken(MemoryOutlet::kGlobal) ? 0 : drain(outlet_.ports().wires().waiting());
  }
  /// The access at the head of the queue enters, and its lanes that are not `busy` leave. False: it cannot enter.
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
