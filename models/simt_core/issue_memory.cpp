// SPDX-License-Identifier: Apache-2.0
// Issue of loads, stores, atomics and fences: address checks and the requests, by route.
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

/// Nearly always: all lanes are aligned, and close together in memory.
bool lies_together(const isa::Instruction& instruction, const isa::RegisterFile& registers, std::uint32_t mask,
                   const protocol::AddressMap& map, protocol::AddressMap::Stretch& stretch, Place& place) {
  const std::uint32_t* row = registers.row(instruction.rs1);
  const auto offset =
      static_cast<std::uint32_t>(instruction.unit == isa::Unit::kAtomic ? 0 : instruction.imm);
  const std::uint32_t first = row[__builtin_ctz(mask)] + offset;
  if (!stretch.contains(first)) stretch = map.stretch(first);
  if (stretch.region == nullptr || stretch.region->route >= protocol::Route::kPeripheral) return false;
  std::uint32_t others = 0;  // lanes that are elsewhere or misaligned
  for (unsigned lane = 0; lane < registers.lanes(); ++lane) {
    const std::uint32_t address = row[lane] + offset;
    const bool good = stretch.contains(address) && (address & (instruction.access_bytes - 1u)) == 0;
    others |= std::uint32_t{!good} << lane;
  }
  if ((others & mask) != 0) return false;
  place.region = stretch.region;
  return true;
}

}  // namespace

bool SimtCore::try_issue_memory(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  const isa::Instruction& instruction = *fetched.instruction;
  if (!load_store_.has_slot()) {
    waits_for_[w] = IssueReason::kMemoryQueue;
    return false;
  }
  const std::uint32_t mask = warp.simt.mask();
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
    if (!lies_together(instruction, warp.registers, mask, map_, stretch_, place) &&
        !check_addresses({instruction, fetched.pc, warp.registers, mask}, map_,
                         completes_misaligned(instruction, params_.misaligned, machine_[w].privilege()), place,
                         mistake_)) {
      report(std::move(mistake_), w, fetched);
      return false;
    }
    const protocol::Region* only = place.region;
    if (place.bytewise) operation.special = LoadStoreUnit::kBytewise;
    if (instruction.unit == isa::Unit::kAtomic)
      operation.special = static_cast<std::uint8_t>((instruction.word >> 25 & 3) * LoadStoreUnit::kRelease);
    slot = load_store_.allocate(operation);
    if (counts_latency()) load_store_.issued(slot) = now();
    const std::uint32_t* base_row = warp.registers.row(instruction.rs1);
    const std::uint32_t* data_row =
        instruction.rs2 != isa::kNoRegister ? warp.registers.row(instruction.rs2) : nullptr;
    const auto offset = static_cast<std::uint32_t>(
        instruction.unit == isa::Unit::kAtomic ? 0 : instruction.imm);
    protocol::WarpPayload* parts[3] = {nullptr, nullptr, nullptr};  // by Route
    protocol::WarpPayload* part = nullptr;
    const protocol::Region* region = nullptr;
    std::uint32_t sent = mask;
    if (params_.load_store.merge_duplicates && instruction.unit != isa::Unit::kAtomic) {
      bool same = (mask & 1) != 0;
      for (std::uint32_t rest = mask; same && rest != 0; rest &= rest - 1)
        same = base_row[__builtin_ctz(rest)] == base_row[0];
      if (same) sent = 1;
    }
    const auto new_part = [&](protocol::Route route, std::uint32_t address) {
      protocol::WarpPayload* added = &load_store_.add_part(slot, route);
      added->set_command(instruction.unit == isa::Unit::kStore ? tlm::TLM_WRITE_COMMAND
                                                               : tlm::TLM_READ_COMMAND);
      added->set_address(address);
      added->info.atomic = instruction.unit == isa::Unit::kAtomic
                               ? static_cast<protocol::Atomic>(instruction.word >> 27)
                               : protocol::Atomic::kNone;
      added->info.origin = origin(w, fetched.pc, mask);
      added->access.mask = 0;
      added->access.bytes = instruction.access_bytes;
      return added;
    };
    if (place.bytewise) {
      region = only;
      add_bytes(w, fetched, slot, only->route);
      sent = 0;
    } else if (only != nullptr) {  // all lanes go one way: whole rows, active lanes or not
      region = only;
      part = new_part(only->route, base_row[__builtin_ctz(sent)] + offset);
      part->access.mask = sent;
      for (unsigned lane = 0; lane < params_.lanes; ++lane)
        part->access.address[lane] = base_row[lane] + offset;
      if (data_row != nullptr && params_.lanes == 8)  // a fixed size spares the call
        std::memcpy(part->access.data.data(), data_row, 32);
      else if (data_row != nullptr)
        std::memcpy(part->access.data.data(), data_row, params_.lanes * sizeof *data_row);
      sent = 0;
    }
    for (std::uint32_t rest = sent; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uint32_t address = base_row[lane] + offset;
      if (region == nullptr || !region->contains(address) || region->route != protocol::Route::kShared) {
        const protocol::Region* found = map_.find(address);
        if (region == nullptr || found->route != region->route) {
          auto& slot_part = parts[static_cast<unsigned>(found->route)];
          if (slot_part == nullptr) slot_part = new_part(found->route, address);
          part = slot_part;
        }
        region = found;
      }
      part->access.mask |= 1u << lane;
      part->access.address[lane] = address;
      if (data_row != nullptr) part->access.data[lane] = data_row[lane];
    }
    if (profile_ != nullptr) {
      if (place.bytewise) {
        for (unsigned byte = 0; byte < instruction.access_bytes; ++byte)
          profile_lanes(fetched, only->route, mask);
      } else if (only != nullptr) {
        profile_lanes(fetched, only->route, part->access.mask);
      } else {
        for (const protocol::Route route :
             {protocol::Route::kGlobal, protocol::Route::kShared, protocol::Route::kPeripheral})
          if (const auto* sent_part = parts[static_cast<unsigned>(route)])
            profile_lanes(fetched, route, sent_part->access.mask);
      }
    }
    const IssueReason producer = producer_of(region->route);
    for (std::uint64_t rest = instruction.writes; rest != 0; rest &= rest - 1)
      warp.producer[static_cast<unsigned>(__builtin_ctzll(rest))] = producer;
  }
  units_[kLoadStore].push(w, {&instruction, fetched.pc, mask, slot, now() + params_.operand_latency});
  wait_for_unit(kLoadStore);
  return true;
}

/// Lanes of a memory instruction that go one way. An atomic counts as a read; whether it writes too is
/// decided at the memory.
void SimtCore::profile_lanes(const Fetched& fetched, protocol::Route route, std::uint32_t lanes) {
  const bool store = fetched.instruction->unit == isa::Unit::kStore;
  LineCount count = LineCount::kGlobalLanes;
  if (route == protocol::Route::kShared)
    count = store ? LineCount::kSharedWordsWritten : LineCount::kSharedWordsRead;
  else if (route == protocol::Route::kPeripheral)
    count = LineCount::kPeripheralLanes;
  profile_->accessed(fetched.pc, count, count_bits(lanes));
}

/// The requests of a misaligned access: part n has byte n of every lane.
void SimtCore::add_bytes(unsigned w, const Fetched& fetched, unsigned slot, protocol::Route route) {
  const Warp& warp = warps_[w];
  const isa::Instruction& instruction = *fetched.instruction;
  const std::uint32_t mask = warp.simt.mask();
  const bool store = instruction.unit == isa::Unit::kStore;
  for (unsigned byte = 0; byte < instruction.access_bytes; ++byte) {
    protocol::WarpPayload& part = load_store_.add_part(slot, route);
    part.set_command(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    part.info.atomic = protocol::Atomic::kNone;
    part.info.origin = origin(w, fetched.pc, mask);
    part.access.mask = mask;
    part.access.bytes = 1;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      part.access.address[lane] = warp.registers.row(instruction.rs1)[lane] +
                                  static_cast<std::uint32_t>(instruction.imm) + byte;
      if (store)
        part.access.data[lane] = warp.registers.row(instruction.rs2)[lane] >> 8 * byte & 0xFF;
    }
    part.set_address(part.access.address[static_cast<unsigned>(__builtin_ctz(mask))]);
  }
}

/// One byte of a misaligned load has come; the last one extends the value.
void SimtCore::take_byte(unsigned slot, const protocol::WarpAccess& access) {
  const LoadStoreUnit::Operation& operation = load_store_.operation(slot);
  const unsigned shift = 8 * load_store_.part_of(slot, access);
  std::uint32_t* row = warps_[operation.warp].registers.row(operation.instruction->rd);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = (row[lane] & ~(0xFFu << shift)) | (access.data[lane] & 0xFF) << shift;
    if (operation.parts == 1) row[lane] = isa::extend_load(*operation.instruction, row[lane]);
  }
}

}  // namespace spica::simt_core
