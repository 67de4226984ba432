// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/address_map.h"
#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/memory_queue.h"
#include "models/simt_core/warp/address_checks.h"

namespace spica::simt_core {

/// Makes the requests of a load, store or atomic: one for each route that its lanes take, or for each byte of a
/// misaligned access. All checks come first.
class WarpRequests {
 public:
  WarpRequests(Context& core, MemoryQueue& queue) : core_(core), queue_(queue) {}

  /// Where the lanes go. False: `mistake` says what is wrong, and nothing has happened.
  bool find(const Candidate& c, Place& place, Mistake& mistake);
  /// Adds the requests to slot `slot`. Returns where the last lane goes.
  protocol::Route add(const Candidate& c, const Place& place, unsigned slot);

 private:
  bool lies_together(const Candidate& c, Place& place);
  Ready ready(const Candidate& c) const { return {c.instruction, c.pc, registers(c), c.mask}; }
  protocol::WarpPayload& add_request(const Candidate& c, unsigned slot, protocol::Route route);
  void add_rows(const Candidate& c, unsigned slot, protocol::Route route, std::uint32_t lanes);
  protocol::Route add_lanes(const Candidate& c, unsigned slot, std::uint32_t lanes);
  void add_bytes(const Candidate& c, unsigned slot, protocol::Route route);
  void tell_access(const Candidate& c, protocol::Route route, std::uint32_t lanes) const;
  const isa::RegisterFile& registers(const Candidate& c) const { return core_.state[c.warp].registers; }

  Context& core_;
  MemoryQueue& queue_;
  protocol::AddressMap::Stretch stretch_;  // where the last memory instruction went
};

}  // namespace spica::simt_core
