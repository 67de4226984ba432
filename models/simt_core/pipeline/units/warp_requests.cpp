// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/warp_requests.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace spica::simt_core {

bool WarpRequests::find(const Candidate& c, Place& place, Mistake& mistake) {
  if (lies_together(c, place)) return true;
  const bool completes =
      completes_misaligned(c.instruction, core_.params.misaligned, core_.state[c.warp].machine.privilege());
  return check_addresses(ready(c), core_.map, completes, place, mistake);
}

protocol::Route WarpRequests::add(const Candidate& c, const Place& place, unsigned slot) {
  if (place.region == nullptr) return add_lanes(c, slot, lanes_to_access(ready(c), core_.params.load_store));
  if (place.bytewise) add_bytes(c, slot, place.region->route);
  else add_rows(c, slot, place.region->route, lanes_to_access(ready(c), core_.params.load_store));
  return place.region->route;
}

/// Nearly always: all lanes are aligned, and close together in memory or in one peripheral.
bool WarpRequests::lies_together(const Candidate& c, Place& place) {
  const isa::Instruction& instruction = c.instruction;
  const std::uint32_t* row = registers(c).row(instruction.rs1);
  const std::uint32_t offset = offset_of(instruction);
  const std::uint32_t first = row[__builtin_ctz(c.mask)] + offset;
  if (!stretch_.contains(first)) stretch_ = core_.map.stretch(first);
  if (stretch_.region == nullptr || stretch_.region->route == protocol::Route::kUnmapped ||
      (stretch_.region->route == protocol::Route::kPeripheral && instruction.unit == isa::Unit::kAtomic))
    return false;
  const auto begin = static_cast<std::uint32_t>(stretch_.begin);
  const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(stretch_.size - 1, ~begin));
  std::uint32_t outside = 0, bits = 0;
  // Eight lanes at a time, as vectors of the host; those that are not active do not count.
  for (unsigned block = 0; block < registers(c).stride(); block += 8) {
    static constexpr std::array<std::uint32_t, 8> kLane{1, 2, 4, 8, 16, 32, 64, 128};
    const std::uint32_t* const lanes = row + block;
    const std::uint32_t mask_here = c.mask >> block;
    for (unsigned lane = 0; lane < 8; ++lane) {
      const std::uint32_t active = (mask_here & kLane[lane]) != 0 ? ~0u : 0u;
      const std::uint32_t address = lanes[lane] + offset;
      outside |= address - begin > last ? active : 0u;
      bits |= address & active;
    }
  }
  if (outside != 0 || (bits & (instruction.access_bytes - 1u)) != 0) return false;
  place.region = stretch_.region;
  return true;
}

/// A request of the instruction, without lanes.
protocol::WarpPayload& WarpRequests::add_request(const Candidate& c, unsigned slot, protocol::Route route) {
  const isa::Instruction& instruction = c.instruction;
  protocol::WarpPayload& part = queue_.add_part(slot, route);
  part.set_command(instruction.unit == isa::Unit::kStore ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  part.info.atomic = instruction.unit == isa::Unit::kAtomic
                         ? static_cast<protocol::Atomic>(instruction.word >> 27)
                         : protocol::Atomic::kNone;
  part.info.origin = core_.identity.origin(c.warp, c.pc, c.mask);
  part.access.mask = 0;
  part.access.bytes = instruction.access_bytes;
  return part;
}

/// The request of `lanes`, which all take one route: whole rows, active lanes or not.
void WarpRequests::add_rows(const Candidate& c, unsigned slot, protocol::Route route, std::uint32_t lanes) {
  const isa::Instruction& instruction = c.instruction;
  const isa::RegisterFile& registers = this->registers(c);
  protocol::WarpPayload& part = add_request(c, slot, route);
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
  if (core_.watchers.any()) tell_access(c, route, lanes);
}

/// The requests of `lanes`, one for each route that they take; returns where the last lane goes.
protocol::Route WarpRequests::add_lanes(const Candidate& c, unsigned slot, std::uint32_t lanes) {
  const isa::Instruction& instruction = c.instruction;
  const isa::RegisterFile& registers = this->registers(c);
  protocol::WarpPayload* parts[3] = {nullptr, nullptr, nullptr};  // by Route
  const protocol::Region* region = nullptr;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = registers.row(instruction.rs1)[lane] + offset_of(instruction);
    if (region == nullptr || !region->contains(address) || region->route != protocol::Route::kShared)
      region = core_.map.find(address);
    auto& part = parts[static_cast<unsigned>(region->route)];
    if (part == nullptr) {
      part = &add_request(c, slot, region->route);
      part->set_address(address);
    }
    part->access.mask |= 1u << lane;
    part->access.address[lane] = address;
    if (instruction.rs2 != isa::kNoRegister) part->access.data[lane] = registers.row(instruction.rs2)[lane];
  }
  if (core_.watchers.any()) {
    for (const protocol::Route route :
         {protocol::Route::kGlobal, protocol::Route::kShared, protocol::Route::kPeripheral})
      if (const auto* part = parts[static_cast<unsigned>(route)]) tell_access(c, route, part->access.mask);
  }
  return region->route;
}

/// Lanes of a memory instruction that take one route. An atomic counts as a read; whether it writes too is
/// decided at the memory.
void WarpRequests::tell_access(const Candidate& c, protocol::Route route, std::uint32_t lanes) const {
  const bool store = c.instruction.unit == isa::Unit::kStore;
  LineCount count = LineCount::kGlobalLanes;
  if (route == protocol::Route::kShared)
    count = store ? LineCount::kSharedWordsWritten : LineCount::kSharedWordsRead;
  else if (route == protocol::Route::kPeripheral) count = LineCount::kPeripheralLanes;
  core_.watchers.access(c.pc, count, base::count_bits(lanes));
}

/// The requests of a misaligned access: part n has byte n of every lane.
void WarpRequests::add_bytes(const Candidate& c, unsigned slot, protocol::Route route) {
  const isa::RegisterFile& registers = this->registers(c);
  const isa::Instruction& instruction = c.instruction;
  const std::uint32_t mask = c.mask;
  for (unsigned byte = 0; byte < instruction.access_bytes; ++byte) {
    protocol::WarpPayload& part = add_request(c, slot, route);
    part.access.mask = mask;
    part.access.bytes = 1;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      part.access.address[lane] = registers.row(instruction.rs1)[lane] + offset_of(instruction) + byte;
      if (instruction.unit == isa::Unit::kStore)
        part.access.data[lane] = registers.row(instruction.rs2)[lane] >> 8 * byte & 0xFF;
    }
    part.set_address(part.access.address[static_cast<unsigned>(__builtin_ctz(mask))]);
    if (core_.watchers.any()) tell_access(c, route, mask);
  }
}

}  // namespace spica::simt_core
