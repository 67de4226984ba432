// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "models/protocol/probe_if.h"
#include "models/protocol/unit_rules.h"
#include "platform/observe/check/agents.h"
#include "platform/observe/check/finding.h"

namespace spica::check {

/// Names what units do: a site is one command and one thing that is done for it. Marks in memory have its number.
class UnitSites {
 public:
  UnitSites(unsigned units, const protocol::UnitRules& rules) : units_(units), rules_(rules) {}

  const protocol::UnitRules& rules() const { return rules_; }
  /// The unit has taken a command: `accessor`: its giver.
  void take(unsigned unit, const Accessor& accessor);
  /// The site of a piece of work; `what`: kUnitLoad to kUnitResult.
  std::uint32_t site(unsigned unit, const protocol::UnitWork& work, Accessor::What what);
  const Accessor& accessor(std::uint32_t site) const { return accessors_[site]; }
  /// Whether the unit itself keeps two sites of its engines in order.
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
