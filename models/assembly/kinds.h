// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/assembly/plan.h"
#include "models/base/clock_domain.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/transport/loose_time.h"

namespace spica::assembly {

/// The services of the machine that every block may use.
struct BuildContext {
  const base::ClockDomain& clock;
  const protocol::AddressMap& map;
  protocol::LooseTime* time = nullptr;  // fast mode only
  std::map<double, base::ClockDomain*> clocks =
      {};  // clock domains of slots with their own clock, by MHz; cycle mode only
  const base::ClockDomain* foreign =
      nullptr;  // clock of user-supplied blocks, if not `clock`; fast mode only
};

/// The construction site of a block: its name, clock and neighbour.
struct BuildSite {
  const char* name;  // name of the module
  const std::any& params;
  const BuildContext& machine;
  const base::ClockDomain& clock;  // clock of the block
  sc_core::sc_object* from;  // a block inserted into a link: the socket before it; otherwise nullptr
};

using Factory = std::function<std::unique_ptr<sc_core::sc_module>(const BuildSite&)>;

/// A kind of block that can be part of a machine.
struct Kind {
  std::string name;  // "simt_core"
  std::string doc;   // one line
  Factory cycle = {};  // cycle mode; empty: not available
  Factory fast = {};  // fast mode; empty: the block is a wire or omitted
  /// For a block that the fast mode omits: the name of the socket through which its links continue. Links to the block
  /// are connected to the other end of that socket. Empty: links to the block are left unconnected.
  std::string wire = {};
  /// Sockets that exist in the cycle mode only.
  std::vector<std::string> cycle_only = {};
  /// The sockets used when it is inserted into a link; empty: it cannot be inserted.
  std::string entry = "in", exit = "out";
  /// The fast mode keeps it when it is inserted into a link.
  bool stays = false;
  /// Its code is user-supplied, so errors in it are reported as the user's.
  bool foreign = false;
  /// For a block with several paths, instead of `wire`: the prefix of the socket names of each path, and the socket
  /// through which the path continues.
  std::vector<std::pair<std::string, std::string>> wires = {};

  // A kind with another value of the field.
  Kind with_cycle(Factory make) const { return with(&Kind::cycle, std::move(make)); }
  Kind with_fast(Factory make) const { return with(&Kind::fast, std::move(make)); }
  Kind with_both(const Factory& make) const { return with_cycle(make).with_fast(make); }
  Kind with_wire(std::string socket) const { return with(&Kind::wire, std::move(socket)); }
  Kind with_wires(std::vector<std::pair<std::string, std::string>> paths) const {
    return with(&Kind::wires, std::move(paths));
  }
  Kind with_cycle_only(std::vector<std::string> sockets) const {
    return with(&Kind::cycle_only, std::move(sockets));
  }
  Kind with_ends(std::string in, std::string out) const {
    return with(&Kind::entry, std::move(in)).with(&Kind::exit, std::move(out));
  }
  Kind with_stay() const { return with(&Kind::stays, true); }

 private:
  template <class Field>
  Kind with(Field Kind::* field, Field value) const {
    Kind changed = *this;
    changed.*field = std::move(value);
    return changed;
  }
};

/// All kinds, in the order of add().
class Kinds {
 public:
  /// Throws PlanError if the name exists.
  void add(Kind kind);
  const Kind* find(const std::string& name) const;
  /// Throws PlanError that lists the known names, if `name` is unknown.
  const Kind& at(const std::string& name) const;
  const std::vector<std::unique_ptr<Kind>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Kind>> all_;
};

/// The kinds of this program: those of `adapters/`, and all that were added.
Kinds& kinds();

/// The factory of a block whose constructor takes name, parameters and clock.
template <class Block, class Params>
Factory make_with() {
  return [](const BuildSite& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params), site.clock);
  };
}

/// The factory of a fast-mode block constructed from parameters alone.
template <class Block, class Params>
Factory make_bare() {
  return [](const BuildSite& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params));
  };
}

}  // namespace spica::assembly
