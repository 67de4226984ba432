// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/unit_rules.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/actor.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/group_parts.h"
#include "platform/observe/check/objects.h"
#include "platform/observe/check/written.h"

namespace spica::check {

/// Advice for a work group that accesses memory outside its part of shared memory.
inline constexpr const char* kGroupAdvice =
    "check the index, and the shared memory that the kernel declares (SPICA_KERNEL) or its launch asks for";

/// Checks the memory accesses of commanded units: transfers, loads without configuration, work for a work group. Units
/// are named by their source in events.
class UnitMemory {
 public:
  using UnitOfSource = std::function<unsigned(unsigned)>;
  UnitMemory(const soc::SocParams& params, UnitOfSource unit_of_source, const protocol::UnitRules& rules,
             const Objects& objects, const GroupParts& groups, Written& written, Moment& moment,
             Findings& findings);

  /// A lane stores to a register of a unit.
  void store(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
             const protocol::Region& region);
  void take(unsigned source, const protocol::Origin& origin, std::uint32_t word);
  void begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work);

 private:
  Accessor accessor(unsigned source, const protocol::UnitWork& work, bool stores) const;
  void check_configured(base::Cycle cycle, unsigned source, const protocol::UnitWork& work);
  void check_group(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                   const protocol::Piece& piece);
  void check_transfer(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                      const protocol::Piece& piece);

  const Shape shape_;
  const bool needs_configuration_;  // its loads have no default configuration
  const UnitOfSource unit_of_source_;
  const protocol::UnitRules& rules_;
  const Objects& objects_;
  const GroupParts& groups_;
  Written& written_;
  Moment& moment_;
  Findings& findings_;
  /// The work groups of a unit's commands, by source, then number: those whose work may still begin.
  std::map<unsigned, std::map<std::uint32_t, GroupParts::Owner>> commands_;
  std::map<std::pair<unsigned, std::string>, std::uint32_t> operands_;  // of units, by cluster and name
  std::set<std::pair<unsigned, std::uint32_t>> configuring_;  // by core and pc: commands that configure loads
  std::set<unsigned> configured_;  // sources of units whose loads are configured
};

}  // namespace spica::check
