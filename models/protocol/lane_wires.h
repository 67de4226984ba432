// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/base/objects.h"
#include "models/base/types.h"

namespace spica::protocol {

/// A memory that takes the lanes of an access one by one.
class LaneMemory {
 public:
  /// Lanes of the core at this port that wait with an access that the memory has not taken.
  virtual std::uint32_t waiting_lanes(unsigned port) const = 0;

 protected:
  ~LaneMemory() = default;
};

/// What a core whose lanes proceed one by one and the memory behind its port exchange in addition to payloads: in
/// hardware each lane has a port of its own, with wires that show if it is taken, and answers carry the tag of the
/// instruction. A request names those of its core (WarpAccess::wires); it is sent as a whole, and the memory takes its
/// lanes as it can.
class LaneWires {
 public:
  // Of the memory, which identifies itself with its first request: accesses of the core that it has not wholly taken.
  const LaneMemory* memory = nullptr;
  unsigned memory_port = 0;
  unsigned accesses = 0;
  /// The last cycle in which the core took an answer, for both sides. It takes one in a cycle: the lanes of one access.
  base::Cycle answered = base::kNever;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(memory, memory_port, accesses, answered);
  }

  std::uint32_t waiting() const { return accesses == 0 ? 0 : memory->waiting_lanes(memory_port); }
  /// Called by the core: `lanes` of a load or atomic have been answered, and others follow; the response comes with the
  /// last.
  virtual void on_lanes(tlm::tlm_generic_payload& payload, std::uint32_t lanes) = 0;

 protected:
  ~LaneWires() = default;
};

}  // namespace spica::protocol

SPICA_CHECKPOINT_POINTER(spica::protocol::LaneWires, spica::protocol::LaneWires)
SPICA_CHECKPOINT_POINTER(const spica::protocol::LaneMemory, const spica::protocol::LaneMemory)
