// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace spica::assembly {

/// An error in a plan, as a sentence for the author of that part.
struct PlanError : std::runtime_error {
  explicit PlanError(const std::string& what, std::vector<std::string> concerned = {})
      : runtime_error(what), blocks(std::move(concerned)) {}
  std::vector<std::string> blocks;  // the blocks concerned, by name in the plan
};

/// A block of a machine, with its kind and parameters.
struct Slot {
  std::string name;  // name within the machine, boxes first: "cluster_0.core_1"
  std::string kind;  // name of one of kinds(): "simt_core"
  std::any params;   // parameters, of the type that the kind requires
  double clock_mhz = 0;  // frequency of its clock; 0: the machine's
};

/// A link from a socket or port to its target: "cluster_0.core_1.gmem" to "cluster_0.coalescer_1.in". An end may also
/// be a block that implements the interface of a port, or a port or socket of the module in which the machine is built.
struct Link {
  std::string from, to;
};

/// A socket of a block: the slot, and the rest of the name, which is empty if the block itself is meant.
struct End {
  std::string slot;  // empty: the module in which the machine is built
  std::string socket;
};

/// The error for a missing link. `linked`: the ends to which `from` is linked; `starts`: all starts of links.
PlanError no_link(const std::string& from, const std::string& to, const std::vector<std::string>& linked,
                  const std::vector<std::string>& starts);

/// The plan of a machine before it is built: its blocks and their links. Blocks tick in the order of their slots:
/// blocks nearer to memory come first (base::ClockDomain).
///
/// One plan serves both the cycle mode and the fast mode (Assembly).
class Plan {
 public:
  void add(std::string name, std::string kind, std::any params = {});
  void link(std::string from, std::string to) { links_.push_back({std::move(from), std::move(to)}); }

  /// Inserts a block into a link; the kind names its sockets (Kind::entry, Kind::exit). It ticks after the block at
  /// `to`, in the same clock domain. Throws PlanError if the two are not linked.
  void insert(std::string name, std::string kind, std::any params, const std::string& from,
              const std::string& to);
  /// Replaces a block by one of another kind, keeping its place and links. Throws PlanError if there is no such slot.
  void replace(const std::string& name, std::string kind, std::any params);
  /// Gives a block a clock with its own frequency; all blocks of one frequency share a clock domain. 0: the machine's
  /// clock. Cycle mode only. Throws PlanError if there is no such slot.
  void set_clock(const std::string& name, double mhz);

  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<Link>& links() const { return links_; }
  /// nullptr if there is no slot of that name.
  const Slot* find(const std::string& name) const;
  End end(const std::string& name) const;
  /// The starts of all links.
  std::vector<std::string> starts() const;
  /// The ends to which a socket or port is linked.
  std::vector<std::string> linked_to(const std::string& from) const;
  /// The socket before a block that was inserted into a link. Empty for other blocks.
  std::string before(const std::string& slot) const;

 private:
  std::vector<Slot>::iterator place_of(const std::string& name);
  void index(std::size_t first);
  Slot& at(const std::string& name);

  std::vector<Slot> slots_;
  std::unordered_map<std::string, std::size_t> places_;  // by name: its place in slots_
  std::vector<Link> links_;
  std::map<std::string, std::string> before_;  // by inserted slot
};

}  // namespace spica::assembly
