// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/base/hot_inline.h"
#include "models/protocol/payload/address_map.h"
#include "models/simt_core/pipeline/units/async_copies.h"
#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/operation_slots.h"
#include "models/simt_core/warp/address_checks.h"
#include "models/simt_core/warp/fragments.h"

namespace spica::simt_core {

/// Creates the requests of a load, store or atomic: one per route of its lanes, or per byte of a misaligned access. All
/// checks come first.
class WarpRequests {
 public:
  WarpRequests(Context& core, OperationSlots& slots, AsyncCopies& copies);

  /// The result of an instruction.
  struct Made {
    unsigned slot = OperationSlots::kNone;  // kNone: it has no requests
    protocol::Route route = protocol::Route::kUnmapped;  // route of the last lane
  };
  /// The usual case: all lanes aligned, and close together in memory or in one peripheral. Otherwise returns kNone;
  /// call make_apart().
  Made make(const Candidate& c);
  /// The general case. kNone: `error` describes the error, and nothing has happened.
  Made make_apart(const Candidate& c, GuestError& error);
  /// Creates a fence, which has no requests except its store. Returns its slot.
  unsigned make_fence(const Candidate& c);
  /// Creates the requests of an asynchronous copy: reads of global memory. Returns its slot.
  unsigned make_copy(const Candidate& c);
  /// Creates a phase of a load or store of a fragment. Returns its slot.
  unsigned make_phase(const Candidate& c, const FragmentMove& move, unsigned phase);

 private:
  /// The common location of the active lanes' addresses; nullptr: they are apart or misaligned.
  struct Together {
    const protocol::Region* region = nullptr;
    bool row = false;  // all lanes are on consecutive words
  };
  Together draft_together(const Candidate& c);
  bool draft_row(const isa::RegisterFile& registers, const Candidate& c);
  std::uint32_t difference(const Candidate& c, std::uint32_t first) const;
  bool look_up(std::uint32_t address);
  /// MemoryOperation::Special of an instruction with aligned lanes, of which `lanes` access memory.
  static std::uint8_t special_of(const Candidate& c, std::uint32_t lanes) {
    if (__builtin_expect(c.instruction.unit == isa::Unit::kAtomic, 0))
      return static_cast<std::uint8_t>((c.instruction.word >> 25 & 3) * MemoryOperation::kRelease);
    return lanes != c.mask && c.instruction.unit == isa::Unit::kLoad ? MemoryOperation::kMerged : 0;
  }
  unsigned allocate(const Candidate& c, std::uint8_t special) {
    return slots_.allocate({&c.instruction,
                            c.pc,
                            c.mask,
                            static_cast<std::uint8_t>(c.warp),
                            static_cast<std::uint8_t>(c.lanes),
                            0,
                            special,
                            {}});
  }
  Ready ready(const Candidate& c) const { return {c.instruction, c.pc, registers(c), c.mask}; }
  /// Adds a request of the instruction, without lanes.
  SPICA_HOT_INLINE protocol::WarpPayload& add_request(const Candidate& c, unsigned slot,
                                                      protocol::Route route) {
    const isa::Instruction& instruction = c.instruction;
    protocol::WarpPayload& part = slots_.add_part(slot, route);
    part.set_command(instruction.unit == isa::Unit::kStore ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    part.info.atomic = protocol::Atomic::kNone;
    if (__builtin_expect(instruction.unit == isa::Unit::kAtomic, 0))
      part.info.atomic = static_cast<protocol::Atomic>(instruction.word >> 27);
    part.info.origin = core_.identity.origin(c.warp, c.pc, c.mask);
    part.access.mask = 0;
    part.access.bytes = instruction.access_bytes;
    if (core_.hints.any() && instruction.unit == isa::Unit::kLoad && route == protocol::Route::kShared)
      core_.hints.load({instruction, instruction.rd}, part.access);
    return part;
  }
  protocol::Route add_lanes(const Candidate& c, unsigned slot, std::uint32_t lanes);
  void add_bytes(const Candidate& c, unsigned slot, protocol::Route route);
  using Distances = std::array<std::uint32_t, protocol::kMaxLanes>;
  const Distances& distances(const FragmentMove& move, unsigned phase);
  void notify_access(const Candidate& c, protocol::Route route, std::uint32_t lanes) const;
  const isa::RegisterFile& registers(const Candidate& c) const { return core_.state[c.warp].registers; }

  Context& core_;
  OperationSlots& slots_;
  AsyncCopies& copies_;
  const protocol::Region* first_memory_ = nullptr;  // destination of the stores of fences
  protocol::AddressMap::Range range_;  // region of the last memory instruction
  /// Offsets of the pieces of a phase from the first element.
  struct KnownPhase {
    const protocol::FragmentAccess* access = nullptr;
    unsigned phase = 0;
    std::uint32_t stride = 0;
    Distances distances{};
  };
  std::array<KnownPhase, 64> known_phases_{};
};

/// Writes the addresses of all lanes into the draft of a request. Returns true if they are consecutive words.
SPICA_HOT_INLINE bool WarpRequests::draft_row(const isa::RegisterFile& registers, const Candidate& c) {
  using Words [[gnu::vector_size(16)]] = std::uint32_t;
  const std::uint32_t* const row = registers.row(c.instruction.rs1);
  const std::uint32_t offset = offset_of(c.instruction);
  protocol::WarpAccess& draft = slots_.draft().access;
  Words expected = (row[0] + offset) + Words{0, 4, 8, 12};
  Words differences{};
  for (unsigned four = 0; four < registers.stride(); four += 4, expected += 16) {
    Words address;
    std::memcpy(&address, row + four, sizeof address);
    address += offset;
    std::memcpy(&draft.address[four], &address, sizeof address);
    differences |= address ^ expected;
  }
  std::uint64_t halves[2];
  std::memcpy(halves, &differences, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

/// Uses the draft of the request.
SPICA_HOT_INLINE WarpRequests::Together WarpRequests::draft_together(const Candidate& c) {
  const isa::RegisterFile& registers = this->registers(c);
  const bool row = draft_row(registers, c);
  protocol::WarpPayload& draft = slots_.draft();
  const std::uint32_t first = draft.access.address[static_cast<unsigned>(__builtin_ctz(c.mask))];
  if (__builtin_expect(!range_.contains(first), 0) && !look_up(first)) return {};
  const protocol::Region* const region = range_.region;
  if (region->route == protocol::Route::kPeripheral && c.instruction.unit == isa::Unit::kAtomic) return {};
  draft.set_address(first);
  const std::uint32_t aligned = c.instruction.access_bytes - 1u;
  const std::uint32_t last = draft.access.address[0] + (4 * registers.stride() - 1);
  if (row && (first & aligned) == 0 && range_.contains(last)) return {region, true};
  const std::uint32_t differing = difference(c, first);
  // The smallest aligned block that holds them all.
  const std::uint32_t inside = differing == 0 ? 0 : ~std::uint32_t{0} >> __builtin_clz(differing);
  const bool together = range_.contains(first & ~inside) && range_.contains(first | inside);
  return {together && ((first | differing) & aligned) == 0 ? region : nullptr, false};
}

SPICA_HOT_INLINE WarpRequests::Made WarpRequests::make(const Candidate& c) {
  const Together where = draft_together(c);
  if (where.region == nullptr) return {};
  const LoadStoreParams& params = core_.params.load_store;
  const std::uint32_t lanes = params.merge_duplicates ? lanes_to_access(ready(c), params) : c.mask;
  const unsigned slot = allocate(c, special_of(c, lanes));
  protocol::WarpPayload& request = add_request(c, slot, where.region->route);
  request.access.mask = lanes;
  request.access.row = where.row;
  if (c.instruction.rs2 != isa::kNoRegister) {
    const isa::RegisterFile& registers = this->registers(c);
    const std::uint32_t* const row = registers.row(c.instruction.rs2);
    for (unsigned eight = 0; eight < registers.stride(); eight += 8)  // a constant size avoids the call
      std::memcpy(&request.access.data[eight], row + eight, 8 * sizeof *row);
  }
  if (core_.watchers.any()) notify_access(c, where.region->route, lanes);
  return {slot, where.region->route};
}

}  // namespace spica::simt_core
