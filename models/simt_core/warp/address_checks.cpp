// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/address_checks.h"

#include <fmt/format.h>

namespace spica::simt_core {

using protocol::FaultKind;
using protocol::Severity;

namespace {

/// The addresses of the active lanes of a memory instruction.
struct Addresses {
  explicit Addresses(const Ready& ready)
      : instruction(ready.instruction),
        row(ready.registers.row(ready.instruction.rs1)),
        offset(offset_of(ready.instruction)),
        mask(ready.mask) {}

  std::uint32_t operator[](unsigned lane) const { return row[lane] + offset; }
  bool misaligned(unsigned lane) const { return ((*this)[lane] & (instruction.access_bytes - 1u)) != 0; }

  const isa::Instruction& instruction;
  const std::uint32_t* row;
  std::uint32_t offset;
  std::uint32_t mask;
};

GuestError wrong(FaultKind kind, std::string detail, std::uint64_t address) {
  return {kind, Severity::kFault, std::move(detail), true, address};
}

/// Each lane has a place. `region`: of all; nullptr when they differ. `misaligned`: a lane at least is.
bool find_regions(const Addresses& lanes, const protocol::AddressMap& map, const protocol::Region*& region,
                  bool& misaligned, GuestError& error) {
  const protocol::Region* last = nullptr;
  bool mixed = false;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = lanes[lane];
    misaligned |= lanes.misaligned(lane);
    if (last != nullptr && last->contains(address) && last->route == protocol::Route::kShared) continue;
    const protocol::Region* before = last;
    last = map.find(address);
    mixed |= before != nullptr && before != last;
    if (last != nullptr && last->route < protocol::Route::kPeripheral) continue;
    if (last == nullptr || last->route != protocol::Route::kPeripheral) {
      error = wrong(FaultKind::kUnmappedAccess, fmt::format("lane {} accesses an unmapped address", lane),
                    address);
      return false;
    }
    if (lanes.instruction.unit != isa::Unit::kAtomic) continue;
    error = wrong(FaultKind::kAtomicRefused,
                  fmt::format("lane {}: {} has registers, not memory", lane, last->name), address);
    return false;
  }
  region = mixed ? nullptr : last;
  return true;
}

/// All bytes of each lane lie in the region.
bool ends_inside(const Addresses& lanes, const protocol::Region& region, GuestError& error) {
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t end = lanes[lane] + lanes.instruction.access_bytes - 1u;
    if (region.contains(end)) continue;
    error = wrong(FaultKind::kUnmappedAccess,
                  fmt::format("lane {} accesses bytes past the end of {}", lane, region.name), end);
    return false;
  }
  return true;
}

}  // namespace

bool check_addresses(const Ready& ready, const protocol::AddressMap& map, bool completes, Place& place,
                     GuestError& error) {
  const Addresses lanes(ready);
  bool misaligned = false;
  if (!find_regions(lanes, map, place.region, misaligned, error)) return false;
  if (!misaligned) return true;
  if (completes && place.region != nullptr && place.region->route != protocol::Route::kPeripheral) {
    place.bytewise = true;
    return ends_inside(lanes, *place.region, error);
  }
  std::uint32_t rest = lanes.mask;
  while (!lanes.misaligned(static_cast<unsigned>(__builtin_ctz(rest)))) rest &= rest - 1;
  const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
  error = wrong(
      FaultKind::kMisalignedAccess,
      fmt::format("lane {}: the address must be a multiple of {}", lane, ready.instruction.access_bytes),
      lanes[lane]);
  return false;
}

bool check_async(const Ready& ready, const Params& params, const protocol::AddressMap& map,
                 GuestError& error) {
  const isa::Instruction& instruction = ready.instruction;
  if (!params.async_copy) {
    error = {FaultKind::kIllegalInstruction, Severity::kFault,
             "this configuration has no asynchronous copies (core.async_copy)"};
    return false;
  }
  if (instruction.format != isa::Format::kAsyncCopy) return true;
  const std::uint32_t bytes = instruction.access_bytes;
  const auto check = [&](std::uint8_t row, protocol::Route route, const char* memory) {
    for (std::uint32_t rest = ready.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uint32_t address = ready.registers.row(row)[lane];
      if (address % bytes != 0) {
        error = wrong(FaultKind::kMisalignedAccess,
                      fmt::format("lane {}: the address must be a multiple of {}", lane, bytes), address);
        return false;
      }
      const protocol::Region* const region = map.find(address);
      if (region != nullptr && region->route == route && region->contains(address + bytes - 1)) continue;
      error =
          wrong(FaultKind::kUnmappedAccess,
                fmt::format("lane {}: the {} bytes do not lie in {} memory", lane, bytes, memory), address);
      return false;
    }
    return true;
  };
  return check(instruction.rs1, protocol::Route::kGlobal, "global") &&
         check(instruction.rs2, protocol::Route::kShared, "shared");
}

std::uint32_t merge_duplicates(const Ready& ready) {
  if (ready.instruction.unit == isa::Unit::kAtomic || (ready.mask & 1) == 0) return ready.mask;
  const std::uint32_t* base = ready.registers.row(ready.instruction.rs1);
  for (std::uint32_t rest = ready.mask; rest != 0; rest &= rest - 1)
    if (base[__builtin_ctz(rest)] != base[0]) return ready.mask;
  return 1;
}

bool completes_misaligned(const isa::Instruction& instruction, Misaligned misaligned,
                          isa::Privilege privilege) {
  if (instruction.unit == isa::Unit::kAtomic) return false;
  return misaligned == Misaligned::kComplete ||
         (misaligned == Misaligned::kUserMode && privilege == isa::Privilege::kUser);
}

}  // namespace spica::simt_core
