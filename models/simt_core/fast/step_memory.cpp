// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and fences, lane by lane.
#include <cstring>

#include "models/isa/execute.h"
#include "models/simt_core/fast/fast_core.h"
#include "models/simt_core/warp/address_checks.h"

namespace spica::simt_core::fast {

Effect FastCore::execute_memory(const isa::Instruction& instruction, std::uint32_t pc) {
  if (instruction.unit == isa::Unit::kFence) {  // everything before it is done
    if (instruction.opcode == isa::Opcode::kFenceI) code_->refresh();
    if (probe_ != nullptr) notify_issue(instruction, pc);
    return {};
  }
  Place place;
  GuestError error;
  const Ready ready{instruction, pc, slice_.warp->registers, slice_.mask};
  const bool completes =
      completes_misaligned(instruction, params_.misaligned, slice_.warp->machine.privilege());
  if (!check_addresses(ready, map_, completes, place, error))
    return executor_.refuse(error, at(pc), instruction);
  if (probe_ != nullptr) notify_issue(instruction, pc);

  std::uint32_t addresses[isa::kMaxLanes];
  for (std::uint32_t rest = slice_.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    addresses[lane] = slice_.warp->registers.row(instruction.rs1)[lane] + offset_of(instruction);
  }
  const std::uint32_t lanes = place.bytewise ? slice_.mask : lanes_to_access(ready, params_.load_store);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t to = lanes != slice_.mask ? slice_.mask : 1u << lane;
    const protocol::Region* region = place.region != nullptr ? place.region : map_.find(addresses[lane]);
    switch (region->route) {
      case protocol::Route::kGlobal:
        access_lane(instruction, pc, lane, memories_.global(addresses[lane], instruction), addresses[lane],
                    to);
        break;
      case protocol::Route::kShared:
        access_lane(instruction, pc, lane, memories_.shared(), addresses[lane], to);
        break;
      default:
        if (!access_peripheral(instruction, pc, lane, addresses[lane], to))
          return {Effect::Kind::kFault, false, false, pc, 0};
    }
  }
  if (instruction.unit == isa::Unit::kAtomic) memories_.open_windows(slice_);
  return {};
}

/// The access of lane `lane`; a loaded value is written for `lanes`.
void FastCore::access_lane(const isa::Instruction& instruction, std::uint32_t pc, unsigned lane,
                           const protocol::PointedMemory& memory, std::uint32_t address,
                           std::uint32_t lanes) {
  isa::RegisterFile& registers = slice_.warp->registers;
  const unsigned bytes = instruction.access_bytes;
  const std::uint32_t data = instruction.rs2 != isa::kNoRegister ? registers.row(instruction.rs2)[lane] : 0;
  std::uint32_t value = 0;
  if (instruction.unit == isa::Unit::kStore) {
    memory.store(origin(pc), address, &data, bytes);
    return;
  }
  std::memcpy(&value, memory.at(address), bytes);
  if (instruction.unit == isa::Unit::kAtomic) {
    protocol::Origin from = origin(pc);
    from.lanes = 1u << lane;
    const auto effect =
        memory.reservations->perform(static_cast<protocol::Atomic>(instruction.word >> 27),
                                     protocol::Reservations::holder(from, lane), address, value, data);
    value = effect.answer;
    if (effect.stores) {
      std::memcpy(memory.at(address), &effect.stored, sizeof effect.stored);
      memory.reservations->stored(from, address, 4);
    }
  } else {
    value = isa::extend_load(instruction, value);
  }
  if (instruction.rd == isa::kNoRegister) return;
  std::uint32_t* row = registers.row(instruction.rd);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) row[__builtin_ctz(rest)] = value;
}

/// An asynchronous copy completes immediately; nothing needs to wait.
Effect FastCore::execute_async(const isa::Instruction& instruction, std::uint32_t pc) {
  GuestError error;
  if (!check_async({instruction, pc, slice_.warp->registers, slice_.mask}, params_, map_, error))
    return executor_.refuse(error, at(pc), instruction);
  if (probe_ != nullptr) notify_issue(instruction, pc);
  if (instruction.format != isa::Format::kAsyncCopy) return {};
  for (std::uint32_t rest = slice_.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint32_t from = slice_.warp->registers.row(instruction.rs1)[lane];
    const std::uint32_t to = slice_.warp->registers.row(instruction.rs2)[lane];
    const unsigned char* const data = memories_.global(from, instruction).at(from);
    for (std::uint32_t byte = 0; byte < instruction.access_bytes; byte += 4)
      memories_.shared().store(origin(pc), to + byte, data + byte, 4);
  }
  return {};
}

/// An access of a lane to a peripheral register. False: it was refused.
bool FastCore::access_peripheral(const isa::Instruction& instruction, std::uint32_t pc, unsigned lane,
                                 std::uint32_t address, std::uint32_t lanes) {
  const bool store = instruction.unit == isa::Unit::kStore;
  protocol::LinePayload& payload = pool_.take();
  protocol::Origin from = origin(pc);
  from.lanes = 1u << lane;
  payload.setup(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, instruction.access_bytes,
                from);
  if (store) std::memcpy(payload.data.data(), &slice_.warp->registers.row(instruction.rs2)[lane], 4);
  sc_core::sc_time delay;
  mmio->b_transport(payload, delay);
  const bool good = !payload.is_response_error();
  if (!good) {
    executor_.refuse_late(refused_access(payload, map_), at(pc));
  } else if (!store && instruction.rd != isa::kNoRegister) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.data.data(), instruction.access_bytes);
    value = isa::extend_load(instruction, value);
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      slice_.warp->registers.row(instruction.rd)[__builtin_ctz(rest)] = value;
  }
  pool_.drop(payload);
  return good;
}

}  // namespace spica::simt_core::fast
