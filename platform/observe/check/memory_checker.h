// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/unit_rules.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/group_parts.h"
#include "platform/observe/check/objects.h"
#include "platform/observe/check/unit_memory.h"
#include "platform/observe/check/warp_memory.h"
#include "platform/observe/check/written.h"

namespace spica::check {

/// Detects accesses to memory that are probably unintended: stores to code and constants, accesses outside objects,
/// heap blocks or a work group's part of shared memory, reads of unwritten data, transfers from misaligned addresses,
/// and loads by an unconfigured unit. Reports nothing in doubt: docs/checks.md. Distributes the machine's events to the
/// checks of warps and units.
class MemoryChecker final : public protocol::ProbeIf {
 public:
  /// `unit_of_source`: as that of a machine. `unit_rules`: of its blocks.
  MemoryChecker(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
                const loader::SourceMap& sources, HeapBlocks::ReadMemory read,
                UnitMemory::UnitOfSource unit_of_source,
                const protocol::UnitRules& unit_rules = protocol::unit_rules());

  /// Another program at other addresses runs also. Its heap is not checked.
  void add(const loader::Program& program) {
    objects_.add(program);
    buffers_.add(program);
  }
  /// Marks memory that is filled before the run.
  void initialised(std::uint64_t address, std::uint64_t bytes) { written_.set(address, bytes); }
  Buffers& buffers() { return buffers_; }
  const Findings& findings() const { return findings_; }

  // protocol::ProbeIf
  void on_issue(const protocol::InstructionEvent& event) override { warps_.issue(event); }
  void on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                     std::uint32_t pc) override;
  void on_warp_end(base::Cycle, const protocol::Origin& origin) override {
    groups_.end(origin.core, origin.warp);
  }
  void on_group_start(base::Cycle, unsigned, const protocol::WorkGroupStart& group) override {
    groups_.start(group);
  }
  void on_command(base::Cycle, unsigned source, const protocol::Origin& origin, std::uint32_t word) override {
    units_.take(source, origin, word);
  }
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override {
    units_.begin(cycle, source, work);
  }

 private:
  Objects objects_;
  Buffers buffers_;
  Findings findings_;
  Moment moment_;
  Written written_;
  GroupParts groups_;
  UnitMemory units_;
  WarpMemory warps_;
};

}  // namespace spica::check
