// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/base/objects.h"
#include "models/base/types.h"

namespace spica::protocol {

/// A memory that accepts the lanes of an access individually.
class LaneMemory {
 public:
  /// Lanes of the core at this port whose access has not been accepted.
  virtual std::uint32_t waiting_lanes(unsigned port) const = 0;

 protected:
  ~LaneMemory() = default;
};

/// Signals between a core with independent lanes and the memory behind its port, in addition to payloads. In hardware
/// each lane has its own port, with wires that show whether it is accepted; answers carry the tag of the instruction. A
/// request names the wires of its core (WarpAccess::wires). It is sent as a whole, and the memory accepts its lanes as
/// it can.
class LaneWires {
 public:
  // Set by the memory with its first request: the accesses of the core that it has not fully accepted.
  const LaneMemory* memory = nullptr;
  unsigned memory_port = 0;
  unsigned accesses = 0;
  /// The last cycle in which the core accepted an answer, for both sides. It accepts one per cycle: the lanes of one
  /// access.
  base::Cycle answered = base::kNever;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(memory, memory_port, accesses, answered);
  }

  std::uint32_t waiting() const { return accesses == 0 ? 0 : memory->waiting_lanes(memory_port); }
  /// Called on the core: `lanes` of a load or atomic have been answered, and others follow. The response comes with the
  /// last.
  virtual void on_lanes(tlm::tlm_generic_payload& payload, std::uint32_t lanes) = 0;

 protected:
  ~LaneWires() = default;
};

}  // namespace spica::protocol

SPICA_CHECKPOINT_POINTER(spica::protocol::LaneWires, spica::protocol::LaneWires)
SPICA_CHECKPOINT_POINTER(const spica::protocol::LaneMemory, const spica::protocol::LaneMemory)
