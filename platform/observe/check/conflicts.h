// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/observe/check/actor.h"
#include "platform/observe/check/advice.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/kernel_order.h"
#include "platform/observe/check/order.h"
#include "platform/observe/check/unit_sites.h"

namespace spica::check {

/// The order of accesses, also for agents that have worked for several kernels.
class Precedence {
 public:
  Precedence(const Order& order, const KernelOrder& kernels) : order_(order), kernels_(kernels) {}

  const Order& order() const { return order_; }
  const KernelOrder& kernels() const { return kernels_; }
  /// True if the access is in the clock by which `agent` is ordered. An agent that has changed kernels since has one
  /// time for both.
  bool known(unsigned agent, const Clock& clock, const Mark& mark, Access access) const {
    const Epoch until = clock.of(mark.agent, access);
    if (mark.epoch >= order_.since(mark.agent)) return until >= mark.epoch;
    return (until >= mark.epoch && kernels_.covers(mark.agent, until, mark.epoch)) ||
           kernels_.is_over(order_.seen(agent), mark.agent, mark.epoch);
  }

 private:
  const Order& order_;
  const KernelOrder& kernels_;
};

/// Creates findings for unordered accesses: the agents, their relation, and advice.
class Conflicts {
 public:
  Conflicts(const Precedence& precedence, const UnitSites& sites, const Moment& moment, Findings& findings)
      : precedence_(precedence), sites_(sites), moment_(moment), findings_(findings) {}

  /// Names of the queues (streams), in order.
  void name_queues(std::vector<std::string> names) { queue_names_ = std::move(names); }
  /// Kernels are written in OpenCL C: advice is in its words.
  void use_opencl_words() { is_opencl_ = true; }
  /// The requester of a remembered access.
  Accessor accessor(const Mark& mark, bool write) const;

  /// The actor's access is not ordered after `before`, an access of that kind.
  void unordered(const Actor& actor, const Mark& before, Access access, bool write, const Place& place);
  /// The actor reads a value that another lane of its warp may not have stored yet.
  void lane_order(const Actor& actor, const Mark& store, const Place& place);
  void uninitialised(const Actor& actor, const Place& place);

 private:
  Finding finding(Kind kind, const Place& place) const;
  Relation relate(Finding& f, const Actor& actor, const Mark& before, Access access, bool write) const;
  std::string kernels_text(const Actor& actor, const Mark& before) const;

  const Precedence precedence_;
  const UnitSites& sites_;
  const Moment& moment_;
  Findings& findings_;
  std::vector<std::string> queue_names_;
  bool is_opencl_ = false;
};

}  // namespace spica::check
