// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/warp_requests.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace spica::simt_core {

WarpRequests::WarpRequests(Context& core, OperationSlots& slots, AsyncCopies& copies)
    : core_(core), slots_(slots), copies_(copies) {
  for (const protocol::Region& region : core.map.regions()) {
    if (region.route != protocol::Route::kGlobal || core.map.find(region.base) != &region) continue;
    if (first_memory_ == nullptr || region.base < first_memory_->base) first_memory_ = &region;
  }
}

/// The published store goes to address 0, which is not in memory.
unsigned WarpRequests::make_fence(const Candidate& c) {
  const unsigned slot = allocate(c, 0);
  if (!core_.params.load_store.fence_store || first_memory_ == nullptr) return slot;
  protocol::WarpPayload& store = slots_.add_fence_store(slot);
  const auto address = static_cast<std::uint32_t>(first_memory_->base);
  const bool merges = core_.params.load_store.merge_duplicates && (c.mask & 1) != 0;
  store.set_command(tlm::TLM_WRITE_COMMAND);
  store.set_address(address);
  store.info.atomic = protocol::Atomic::kNone;
  store.info.origin = core_.identity.origin(c.warp, c.pc, c.mask);
  store.access.mask = merges ? 1 : c.mask;
  store.access.bytes = 1;  // so that it is never a whole line, whatever the lanes
  store.access.address.fill(address);
  store.access.data.fill(0);
  return slot;
}

/// The bits in which the addresses of active lanes differ from `first`.
std::uint32_t WarpRequests::difference(const Candidate& c, std::uint32_t first) const {
  const protocol::WarpAccess& access = slots_.draft().access;
  using Words [[gnu::vector_size(16)]] = std::uint32_t;
  constexpr Words kLane{1, 2, 4, 8};
  Words differences{};
  for (unsigned four = 0; four < registers(c).stride(); four += 4) {
    Words address;
    std::memcpy(&address, &access.address[four], sizeof address);
    differences |= (c.mask >> four & kLane) != 0 ? address ^ first : Words{};
  }
  return differences[0] | differences[1] | differences[2] | differences[3];
}

/// False: nothing is mapped there.
[[gnu::noinline]] bool WarpRequests::look_up(std::uint32_t address) {
  range_ = core_.map.range(address);
  if (range_.region != nullptr && range_.region->route != protocol::Route::kUnmapped) return true;
  range_ = {};
  return false;
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
      if (const auto* part = parts[static_cast<unsigned>(route)]) notify_access(c, route, part->access.mask);
  }
  return region->route;
}

/// Lanes of a memory instruction that take one route. An atomic counts as a read; whether it writes too is
/// decided at the memory.
void WarpRequests::notify_access(const Candidate& c, protocol::Route route, std::uint32_t lanes) const {
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
    if (core_.watchers.any()) notify_access(c, route, mask);
  }
}

WarpRequests::Made WarpRequests::make_apart(const Candidate& c, GuestError& error) {
  const bool completes =
      completes_misaligned(c.instruction, core_.params.misaligned, core_.state[c.warp].machine.privilege());
  Place place;
  if (!check_addresses(ready(c), core_.map, completes, place, error)) return {};
  if (!place.bytewise) {
    const std::uint32_t lanes = lanes_to_access(ready(c), core_.params.load_store);
    const unsigned slot = allocate(c, special_of(c, lanes));
    return {slot, add_lanes(c, slot, lanes)};
  }
  const unsigned slot = allocate(c, MemoryOperation::kBytewise);
  add_bytes(c, slot, place.region->route);
  return {slot, place.region->route};
}

unsigned WarpRequests::make_copy(const Candidate& c) {
  const isa::RegisterFile& registers = this->registers(c);
  const unsigned slot = allocate(c, MemoryOperation::kAsync), bytes = c.instruction.access_bytes;
  copies_.begin(slot, c.warp, registers.row(c.instruction.rs2), bytes);
  for (unsigned part = 0; part < bytes / 4; ++part) {
    if (!copies_.fill(slot, part, registers.row(c.instruction.rs1), c.mask, slots_.draft().access)) continue;
    protocol::WarpPayload& request = slots_.add_copy(slot);
    request.set_command(tlm::TLM_READ_COMMAND);
    request.info.atomic = protocol::Atomic::kNone;
    request.info.origin = core_.identity.origin(c.warp, c.pc, c.mask);
    request.access.bytes = 4;
    request.set_address(request.access.address[static_cast<unsigned>(__builtin_ctz(request.access.mask))]);
    copies_.add(slot, part);
    const unsigned words = base::count_bits(request.access.mask);
    core_.stats.async_words += words;
    if (!core_.watchers.any()) continue;
    core_.watchers.access(c.pc, LineCount::kGlobalLanes, words);
    core_.watchers.access(c.pc, LineCount::kSharedWordsWritten, words);
  }
  return slot;
}

/// A program loads fragments of few kinds with few strides.
inline const WarpRequests::Distances& WarpRequests::distances(const FragmentMove& move, unsigned phase) {
  const std::size_t hash = reinterpret_cast<std::uintptr_t>(move.access) / sizeof *move.access;
  KnownPhase& known = known_phases_[(hash * 17 + phase) % known_phases_.size()];
  if (known.access != move.access || known.phase != phase || known.stride != move.stride) {
    known.access = move.access;
    known.phase = phase;
    known.stride = move.stride;
    const auto& pieces = move.access->phases[phase];
    const std::uint32_t bits = move.access->element_bits, distance = move.stride * bits / 8;
    for (unsigned i = 0; i < pieces.size(); ++i)
      known.distances[i] = pieces[i].major * distance + pieces[i].minor * bits / 8;
  }
  return known.distances;
}

unsigned WarpRequests::make_phase(const Candidate& c, const FragmentMove& move, unsigned phase) {
  const unsigned slot = allocate(c, MemoryOperation::kFragment);
  const bool store = c.instruction.format == isa::Format::kFragmentStore;
  protocol::WarpPayload& request = add_request(c, slot, move.route);
  if (store) request.set_command(tlm::TLM_WRITE_COMMAND);
  request.access.mask = c.mask;
  request.access.bytes = move.access->bytes;
  request.access.operand = move.operand;
  if (core_.hints.any() && !store && move.route == protocol::Route::kShared)
    core_.hints.load({c.instruction, static_cast<std::uint8_t>(isa::kRegisterRows + move.fragment),
                      static_cast<std::uint8_t>(phase), phase + 1 == move.access->phases.size()},
                     request.access);
  const std::uint32_t* const fragment = core_.state[c.warp].fragments.fragment(move.fragment);
  const auto& pieces = move.access->phases[phase];
  const Distances& distances = this->distances(move, phase);
  for (unsigned i = 0; i < distances.size(); ++i) request.access.address[i] = move.base + distances[i];
  if (store)
    for (unsigned i = 0; i < pieces.size(); ++i)
      request.access.data[i] = piece_of(*move.access, pieces[i], fragment);
  request.set_address(request.access.address[0]);
  return slot;
}

}  // namespace spica::simt_core
