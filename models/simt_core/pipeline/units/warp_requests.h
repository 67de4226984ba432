// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/protocol/address_map.h"
#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/memory_queue.h"
#include "models/simt_core/warp/address_checks.h"
#include "models/simt_core/warp/fragments.h"

namespace spica::simt_core {

/// Makes the requests of a load, store or atomic: one for each route that its lanes take, or for each byte of a
/// misaligned access. All checks come first.
class WarpRequests {
 public:
  WarpRequests(Context& core, MemoryQueue& queue);

  /// What became of an instruction.
  struct Made {
    unsigned slot = MemoryQueue::kNoSlot;  // of the queue; kNoSlot: it has no requests
    protocol::Route route = protocol::Route::kUnmapped;  // of the last lane
  };
  /// When all lanes are aligned, and close together in memory or in one peripheral: nearly always. Else kNoSlot, and
  /// make_apart() decides.
  Made make(const Candidate& c);
  /// For any lanes. kNoSlot: `mistake` says what is wrong, and nothing has happened.
  Made make_apart(const Candidate& c, Mistake& mistake);
  /// A fence has none, but for the store that it becomes. Returns its slot of the queue.
  unsigned make_fence(const Candidate& c);
  /// Those of an asynchronous copy: reads of global memory. Returns its slot.
  unsigned make_copy(const Candidate& c);
  /// A phase of a load or store of a fragment. Returns its slot of the queue.
  unsigned make_phase(const Candidate& c, const FragmentMove& move, unsigned phase);

 private:
  const protocol::Region* draft_together(const Candidate& c);
  void look_up(std::uint32_t address);
  unsigned allocate(const Candidate& c, std::uint8_t special) {
    return queue_.allocate({&c.instruction,
                            c.pc,
                            c.mask,
                            static_cast<std::uint8_t>(c.warp),
                            static_cast<std::uint8_t>(c.lanes),
                            0,
                            special,
                            {}});
  }
  Ready ready(const Candidate& c) const { return {c.instruction, c.pc, registers(c), c.mask}; }
  protocol::WarpPayload& add_request(const Candidate& c, unsigned slot, protocol::Route route);
  void add_rows(const Candidate& c, unsigned slot, protocol::Route route, std::uint32_t lanes);
  protocol::Route add_lanes(const Candidate& c, unsigned slot, std::uint32_t lanes);
  void add_bytes(const Candidate& c, unsigned slot, protocol::Route route);
  using Distances = std::array<std::uint32_t, protocol::kMaxLanes>;
  const Distances& distances(const FragmentMove& move, unsigned phase);
  void tell_access(const Candidate& c, protocol::Route route, std::uint32_t lanes) const;
  const isa::RegisterFile& registers(const Candidate& c) const { return core_.state[c.warp].registers; }

  Context& core_;
  MemoryQueue& queue_;
  const protocol::Region* first_memory_ = nullptr;  // where the stores of fences go
  protocol::AddressMap::Stretch stretch_;  // where the last memory instruction went
  /// Of the pieces of a phase to the first element.
  struct KnownPhase {
    const protocol::FragmentAccess* access = nullptr;
    unsigned phase = 0;
    std::uint32_t stride = 0;
    Distances distances{};
  };
  std::array<KnownPhase, 64> known_phases_{};
};

}  // namespace spica::simt_core
