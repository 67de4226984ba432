// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace spica::assembly {

/// What is wrong with a plan, as a sentence for whoever wrote that part of it.
struct PlanError : std::runtime_error {
  explicit PlanError(const std::string& what, std::vector<std::string> concerned = {})
      : runtime_error(what), blocks(std::move(concerned)) {}
  std::vector<std::string> blocks;  // which it is about, by name in the plan
};

/// A block of a machine and what it is made from.
struct Slot {
  std::string name;  // within the machine, boxes first: "cluster_0.core_1"
  std::string kind;  // one of kinds(): "simt_core"
  std::any params;   // of the type that the kind says
  double clock_mhz = 0;  // of its clock; 0: the machine's
};

/// From a socket or port to what it is bound to: "cluster_0.core_1.gmem" to "cluster_0.coalescer_1.in". Also an end: a
/// block that implements the interface of a port, and a port or socket of the module that the machine is built in.
struct Link {
  std::string from, to;
};

/// A socket of a block by name: the slot, and the rest of the name, which is empty when a block itself is meant.
struct End {
  std::string slot;  // empty: of the module that the machine is built in
  std::string socket;
};

/// Error for a missing link; `linked`: what its beginning is linked to, `starts`: where links begin.
PlanError no_link(const std::string& from, const std::string& to, const std::vector<std::string>& linked,
                  const std::vector<std::string>& starts);

/// A machine before it is built: which blocks there are, and how they are linked. The order of the slots is that in
/// which blocks tick: what is nearer to memory comes first (base::ClockDomain).
///
/// The same plan is built in the cycle mode and in the fast mode (Assembly).
class Plan {
 public:
  void add(std::string name, std::string kind, std::any params = {});
  void link(std::string from, std::string to) { links_.push_back({std::move(from), std::move(to)}); }

  /// Puts a block between the two ends of a link; the kind says by which sockets (Kind::entry, Kind::exit). It ticks
  /// after the block at `to`, in the same clock domain. Throws PlanError when the two are not linked.
  void insert(std::string name, std::string kind, std::any params, const std::string& from,
              const std::string& to);
  /// Another kind of block takes the place and the links of this one. Throws PlanError when there is no such slot.
  void replace(const std::string& name, std::string kind, std::any params);
  /// Gives a block a clock of its own frequency; all blocks of one frequency are in one clock domain. 0: the machine's
  /// clock. Only in the cycle mode. Throws PlanError when there is no such slot.
  void set_clock(const std::string& name, double mhz);

  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<Link>& links() const { return links_; }
  /// Null when there is none of that name.
  const Slot* find(const std::string& name) const;
  End end(const std::string& name) const;
  /// Where links begin.
  std::vector<std::string> starts() const;
  /// What a socket or port is linked to.
  std::vector<std::string> linked_to(const std::string& from) const;
  /// The socket in front of a block that was inserted between two others. Empty for other blocks.
  std::string before(const std::string& slot) const;

 private:
  std::vector<Slot>::iterator place_of(const std::string& name);
  Slot& at(const std::string& name);

  std::vector<Slot> slots_;
  std::vector<Link> links_;
  std::map<std::string, std::string> before_;  // by slot put between two others
};

}  // namespace spica::assembly
