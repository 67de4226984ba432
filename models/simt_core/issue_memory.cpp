// SPDX-License-Identifier: Apache-2.0
// Issue of loads, stores, atomics and fences: address checks and the requests, by route.
#include <algorithm>
#include <array>
#include <cstring>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

namespace {

IssueReason producer_of(protocol::Route route) {
  switch (route) {
    case protocol::Route::kShared: return IssueReason::kSharedLoad;
    case protocol::Route::kPeripheral: return IssueReason::kPeripheral;
    default: return IssueReason::kGlobalLoad;
  }
}

/// An atomic has no offset.
std::uint32_t offset_of(const isa::Instruction& instruction) {
  return static_cast<std::uint32_t>(instruction.unit == isa::Unit::kAtomic ? 0 : instruction.imm);
}

/// Nearly always: all lanes are aligned, and close together in memory or in one peripheral.
bool lies_together(const isa::Instruction& instruction, const isa::RegisterFile& registers,
                   std::uint32_t mask, const protocol::AddressMap& map,
                   protocol::AddressMap::Stretch& stretch, Place& place) {
  const std::uint32_t* row = registers.row(instruction.rs1);
  const std::uint32_t offset = offset_of(instruction);
  const std::uint32_t first = row[__builtin_ctz(mask)] + offset;
  if (!stretch.contains(first)) stretch = map.stretch(first);
  if (stretch.region == nullptr || stretch.region->route == protocol::Route::kUnmapped ||
      (stretch.region->route == protocol::Route::kPeripheral && instruction.unit == isa::Unit::kAtomic))
    return false;
  const auto begin = static_cast<std::uint32_t>(stretch.begin);
  const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(stretch.size - 1, ~begin));
  std::uint32_t outside = 0, bits = 0;
  // Eight lanes at a time, as vectors of the host; those that are not active do not count.
  for (unsigned block = 0; block < registers.stride(); block += 8) {
    static constexpr std::array<std::uint32_t, 8> kLane{1, 2, 4, 8, 16, 32, 64, 128};
    const std::uint32_t* const lanes = row + block;
    const std::uint32_t mask_here = mask >> block;
    for (unsigned lane = 0; lane < 8; ++lane) {
      const std::uint32_t active = (mask_here & kLane[lane]) != 0 ? ~0u : 0u;
      const std::uint32_t address = lanes[lane] + offset;
      outside |= address - begin > last ? active : 0u;
      bits |= address & active;
    }
  }
  if (outside != 0 || (bits & (instruction.access_bytes - 1u)) != 0) return false;
  place.region = stretch.region;
  return true;
}

}  // namespace

bool SimtCore::try_issue_memory(unsigned w, const Fetched& fetched) {
  const isa::Instruction& instruction = *fetched.instruction;
  if (!load_store_.has_slot()) {
    scoreboard_.retry(w, IssueReason::kMemoryQueue);
    return false;
  }
  const WarpState& state = state_[w];
  const std::uint32_t mask = state.simt.mask();
  LoadStoreUnit::Operation operation;
  operation.instruction = &instruction;
  operation.pc = fetched.pc;
  operation.mask = mask;
  operation.warp = static_cast<std::uint8_t>(w);

  unsigned slot = 0;
  if (instruction.unit == isa::Unit::kFence) {
    slot = load_store_.allocate(operation);
  } else {
    Place place;
    if (!lies_together(instruction, state.registers, mask, map_, stretch_, place)) {
      Mistake mistake;
      if (!check_addresses({instruction, fetched.pc, state.registers, mask}, map_,
                           completes_misaligned(instruction, params_.misaligned, state.machine.privilege()),
                           place, mistake)) {
        refused(executor_.refuse(mistake, at(w, fetched.pc), instruction), w, fetched.pc);
        return false;
      }
    }
    if (place.bytewise) operation.special = LoadStoreUnit::kBytewise;
    if (instruction.unit == isa::Unit::kAtomic)
      operation.special = static_cast<std::uint8_t>((instruction.word >> 25 & 3) * LoadStoreUnit::kRelease);
    slot = load_store_.allocate(operation);
    if (counts_latency()) load_store_.issued(slot) = now();
    std::uint32_t sent = mask;
    if (params_.load_store.merge_duplicates && instruction.unit != isa::Unit::kAtomic) {
      const std::uint32_t* base = state.registers.row(instruction.rs1);
      bool same = (mask & 1) != 0;
      for (std::uint32_t rest = mask; same && rest != 0; rest &= rest - 1)
        same = base[__builtin_ctz(rest)] == base[0];
      if (same) sent = 1;
    }
    const protocol::Region* region = place.region;
    if (place.bytewise) add_bytes(w, fetched, slot, region->route);
    else if (region != nullptr) add_rows(w, fetched, slot, region->route, sent);
    else region = &add_lanes(w, fetched, slot, sent);
    if (instruction.writes() != 0)  // one row
      scoreboard_.produce(w, instruction.rd, producer_of(region->route));
  }
  units_.push(Units::kLoadStore, w, {&instruction, fetched.pc, mask, slot, now() + params_.operand_latency});
  return true;
}

/// A request of the instruction, without lanes.
protocol::WarpPayload& SimtCore::add_request(unsigned w, const Fetched& fetched, unsigned slot,
                                             protocol::Route route) {
  const isa::Instruction& instruction = *fetched.instruction;
  protocol::WarpPayload& part = load_store_.add_part(slot, route);
  part.set_command(instruction.unit == isa::Unit::kStore ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  part.info.atomic = instruction.unit == isa::Unit::kAtomic
                         ? static_cast<protocol::Atomic>(instruction.word >> 27)
                         : protocol::Atomic::kNone;
  part.info.origin = origin(w, fetched.pc, state_[w].simt.mask());
  part.access.mask = 0;
  part.access.bytes = instruction.access_bytes;
  return part;
}

/// The request of `lanes`, which all take one route: whole rows, active lanes or not.
void SimtCore::add_rows(unsigned w, const Fetched& fetched, unsigned slot, protocol::Route route,
                        std::uint32_t lanes) {
  const isa::Instruction& instruction = *fetched.instruction;
  const isa::RegisterFile& registers = state_[w].registers;
  protocol::WarpPayload& part = add_request(w, fetched, slot, route);
  part.access.mask = lanes;
  const std::uint32_t* const base = registers.row(instruction.rs1);
  const std::uint32_t offset = offset_of(instruction);
  for (unsigned block = 0; block < registers.stride(); block += 8) {
    std::uint32_t address[8];
    std::memcpy(address, base + block, sizeof address);
    for (std::uint32_t& lane : address) lane += offset;
    std::memcpy(&part.access.address[block], address, sizeof address);
    if (instruction.rs2 != isa::kNoRegister)
      std::memcpy(&part.access.data[block], registers.row(instruction.rs2) + block, sizeof address);
  }
  part.set_address(base[__builtin_ctz(lanes)] + offset);
  if (profile_ != nullptr) profile_lanes(fetched, route, lanes);
}

/// The requests of `lanes`, one for each route that they take; returns where the last lane goes.
const protocol::Region& SimtCore::add_lanes(unsigned w, const Fetched& fetched, unsigned slot,
                                            std::uint32_t lanes) {
  const isa::Instruction& instruction = *fetched.instruction;
  const isa::RegisterFile& registers = state_[w].registers;
  protocol::WarpPayload* parts[3] = {nullptr, nullptr, nullptr};  // by Route
  const protocol::Region* region = nullptr;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = registers.row(instruction.rs1)[lane] + offset_of(instruction);
    if (region == nullptr || !region->contains(address) || region->route != protocol::Route::kShared)
      region = map_.find(address);
    auto& part = parts[static_cast<unsigned>(region->route)];
    if (part == nullptr) {
      part = &add_request(w, fetched, slot, region->route);
      part->set_address(address);
    }
    part->access.mask |= 1u << lane;
    part->access.address[lane] = address;
    if (instruction.rs2 != isa::kNoRegister) part->access.data[lane] = registers.row(instruction.rs2)[lane];
  }
  if (profile_ != nullptr) {
    for (const protocol::Route route :
         {protocol::Route::kGlobal, protocol::Route::kShared, protocol::Route::kPeripheral})
      if (const auto* part = parts[static_cast<unsigned>(route)])
        profile_lanes(fetched, route, part->access.mask);
  }
  return *region;
}

/// Lanes of a memory instruction that take one route. An atomic counts as a read; whether it writes too is
/// decided at the memory.
void SimtCore::profile_lanes(const Fetched& fetched, protocol::Route route, std::uint32_t lanes) {
  const bool store = fetched.instruction->unit == isa::Unit::kStore;
  LineCount count = LineCount::kGlobalLanes;
  if (route == protocol::Route::kShared)
    count = store ? LineCount::kSharedWordsWritten : LineCount::kSharedWordsRead;
  else if (route == protocol::Route::kPeripheral) count = LineCount::kPeripheralLanes;
  profile_->accessed(fetched.pc, count, base::count_bits(lanes));
}

/// The requests of a misaligned access: part n has byte n of every lane.
void SimtCore::add_bytes(unsigned w, const Fetched& fetched, unsigned slot, protocol::Route route) {
  const isa::RegisterFile& registers = state_[w].registers;
  const isa::Instruction& instruction = *fetched.instruction;
  const std::uint32_t mask = state_[w].simt.mask();
  for (unsigned byte = 0; byte < instruction.access_bytes; ++byte) {
    protocol::WarpPayload& part = add_request(w, fetched, slot, route);
    part.access.mask = mask;
    part.access.bytes = 1;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      part.access.address[lane] = registers.row(instruction.rs1)[lane] + offset_of(instruction) + byte;
      if (instruction.unit == isa::Unit::kStore)
        part.access.data[lane] = registers.row(instruction.rs2)[lane] >> 8 * byte & 0xFF;
    }
    part.set_address(part.access.address[static_cast<unsigned>(__builtin_ctz(mask))]);
    if (profile_ != nullptr) profile_lanes(fetched, route, mask);
  }
}

/// One byte of a misaligned load has arrived; the last one extends the value.
void SimtCore::take_byte(unsigned slot, const protocol::WarpAccess& access) {
  const LoadStoreUnit::Operation& operation = load_store_.operation(slot);
  const unsigned shift = 8 * load_store_.part_of(slot, access);
  std::uint32_t* row = state_[operation.warp].registers.row(operation.instruction->rd);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = (row[lane] & ~(0xFFu << shift)) | (access.data[lane] & 0xFF) << shift;
    if (operation.parts == 1) row[lane] = isa::extend_load(*operation.instruction, row[lane]);
  }
}

}  // namespace spica::simt_core
