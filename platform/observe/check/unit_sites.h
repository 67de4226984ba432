// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/unit_rules.h"
#include "platform/observe/check/agents.h"
#include "platform/observe/check/finding.h"

namespace spica::check {

/// Sites of units: one command and one operation performed for it. Records of memory contain the number of a site.
class UnitSites {
 public:
  UnitSites(unsigned units, const protocol::UnitRules& rules) : units_(units), rules_(rules) {}

  const protocol::UnitRules& rules() const { return rules_; }
  /// The unit has accepted a command of `accessor`.
  void take(unsigned unit, const Accessor& accessor);
  /// The site of an operation; `what`: kUnitLoad to kUnitResult.
  std::uint32_t site(unsigned unit, const protocol::UnitWork& work, Accessor::What what);
  const Accessor& accessor(std::uint32_t site) const { return accessors_[site]; }
  /// True if the unit itself orders two sites of its engines.
  bool in_order(std::uint32_t one, Engine engine, std::uint32_t other, Engine other_engine) const;

 private:
  struct Last {
    std::uint32_t command = 0, index = 0;
  };
  struct Unit {
    std::array<Last, 4> sites;  // of the last command, by Accessor::What
    std::map<std::uint32_t, Accessor> commands;  // by number: those whose work may still begin
  };
  protocol::UnitRules::Part part(std::uint32_t site, Engine engine) const {
    return {loops_[site], engine == Engine::kLoad, accessors_[site].issued_loops};
  }

  std::vector<Unit> units_;
  const protocol::UnitRules& rules_;
  std::vector<Accessor> accessors_;  // by site
  std::vector<std::uint32_t> loops_;  // by site
};

}  // namespace spica::check
