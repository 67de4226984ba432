// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/assembly/plan.h"
#include "models/base/clock_domain.h"
#include "models/protocol/address_map.h"
#include "models/protocol/loose_time.h"

namespace spica::assembly {

/// What all blocks of a machine may know.
struct BuildContext {
  const base::ClockDomain& clock;
  const protocol::AddressMap& map;
  protocol::LooseTime* time = nullptr;  // of the fast mode
  std::map<double, base::ClockDomain*> clocks =
      {};  // of slots that have one of their own, by MHz; cycle mode
};

/// The place where a block is built.
struct Site {
  const char* name;  // of the module
  const std::any& params;
  const BuildContext& machine;
  const base::ClockDomain& clock;  // of the block
  sc_core::sc_object* from;  // of a block put between two others: the socket before it; else null
};

using Factory = std::function<std::unique_ptr<sc_core::sc_module>(const Site&)>;

/// A kind of block that a machine can be built from.
struct Kind {
  std::string name;  // "simt_core"
  std::string doc;   // one line
  Factory cycle;     // of the cycle mode; empty: it is not there
  Factory fast = {};  // of the fast mode; empty: the block is a wire, or not there
  /// Where a link leaves a block that the fast mode leaves out: what is linked to the block is linked to what this
  /// socket is linked to. Empty: what is linked to it is linked to nothing.
  std::string wire = {};
  /// Sockets that only the block of the cycle mode has.
  std::vector<std::string> cycle_only = {};
  /// By which sockets it is put between two others; empty: it cannot be.
  std::string entry = "in", exit = "out";
  /// The fast mode also has it when it is put between two others.
  bool stays = false;
  /// Its code is user-supplied: errors in it are the user's to fix.
  bool foreign = false;
  /// Of a block with several ways through it, instead of `wire`: how the names of the sockets of each begin, and the
  /// socket where it leaves.
  std::vector<std::pair<std::string, std::string>> wires = {};
};

/// All kinds, in the order in which they came.
class Kinds {
 public:
  /// Throws PlanError when there is one of that name.
  void add(Kind kind);
  const Kind* find(const std::string& name) const;
  /// Throws PlanError that names those there are.
  const Kind& at(const std::string& name) const;
  const std::vector<std::unique_ptr<Kind>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Kind>> all_;
};

/// Of this program: those of `adapters/`, and whatever was added.
Kinds& kinds();

/// The factory of a block whose constructor takes name, parameters and clock.
template <class Block, class Params>
Factory make_with() {
  return [](const Site& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params), site.clock);
  };
}

/// The factory of a block of the fast mode that is made from parameters alone.
template <class Block, class Params>
Factory make_bare() {
  return [](const Site& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params));
  };
}

}  // namespace spica::assembly
