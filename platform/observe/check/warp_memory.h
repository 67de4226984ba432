// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/isa/registers.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/probe_if.h"
#include "platform/observe/check/actor.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/group_parts.h"
#include "platform/observe/check/heap_blocks.h"
#include "platform/observe/check/landings.h"
#include "platform/observe/check/objects.h"
#include "platform/observe/check/pointers.h"
#include "platform/observe/check/spill_slots.h"
#include "platform/observe/check/unit_memory.h"
#include "platform/observe/check/user_code.h"
#include "platform/observe/check/warp_values.h"
#include "platform/observe/check/written.h"

namespace spica::check {

/// Checks memory accesses of warps: outside objects, blocks or the part of their work group, and reads of unwritten
/// data.
class WarpMemory {
 public:
  WarpMemory(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
             const loader::SourceMap& sources, HeapBlocks::ReadMemory read, const Objects& objects,
             const GroupParts& groups, Written& written, UnitMemory& units, Moment& moment,
             Findings& findings);

  void issue(const protocol::InstructionEvent& event);
  void start(unsigned core, unsigned warp) { fragments_.forget(core, warp); }

 private:
  using Addresses = std::array<std::uint32_t, isa::kMaxLanes>;  // by lane
  void access(const protocol::InstructionEvent& event);
  void move_fragment(const protocol::InstructionEvent& event);
  void copy(const protocol::InstructionEvent& event);
  void tensor(const protocol::InstructionEvent& event);
  void leave_frame(const protocol::InstructionEvent& event);
  /// `offset`: of the access, in `address`.
  void check_place(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                   std::uint32_t offset, unsigned bytes);
  void check_object(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                    std::uint32_t offset, unsigned bytes);
  void check_group(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                   unsigned bytes);
  void check_exchange(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address);
  void check_written(const protocol::InstructionEvent& event, const Addresses& addresses);
  Finding finding(Kind kind, const protocol::InstructionEvent& event, unsigned lane,
                  std::uint32_t address) const;
  void add_unwritten(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                     unsigned bytes, const char* advice);
  void add(Kind kind, const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
           std::string detail, const char* advice);

  const protocol::AddressMap& map_;
  const Shape shape_;
  const Objects& objects_;
  const GroupParts& groups_;
  Written& written_;
  UnitMemory& units_;
  Moment& moment_;
  Findings& findings_;
  UserCode code_;
  SpillSlots spills_;
  Pointers pointers_;
  Landings landings_;
  HeapBlocks heap_;
  LoadedFragments fragments_;
  LaneExchange exchange_;
};

}  // namespace spica::check
