// SPDX-License-Identifier: Apache-2.0
// Marks of loads that warps may share.
#pragma once

#include "models/isa/instruction.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/memory_hints_if.h"

namespace spica::multicast {

inline bool is_marked(const protocol::WarpPayload& payload) {
  return payload.access.sharing.destination != 0;
}

/// Marks an access of a load that the program allows to be shared.
inline void mark(const protocol::MemoryHintsIf::Load& load, protocol::WarpAccess& access) {
  if (!load.instruction.multicasts() || load.destination == isa::kNoRegister) return;
  access.sharing = {static_cast<std::uint8_t>(1 + load.destination), load.instruction.rs1, load.part,
                    load.last, 0};
}

}  // namespace spica::multicast
