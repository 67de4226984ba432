// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <systemc>

#include "models/base/area.h"
#include "models/base/block.h"
#include "models/base/block_type.h"
#include "models/base/clock_domain.h"
#include "models/base/stats.h"
#include "models/base/types.h"

namespace spica::base {

/// Base of every hardware block: a SystemC module without its own process.
///
/// The clock domain calls tick() in the cycles the block requested with wake_at(). Requests and responses of neighbours
/// arrive between ticks, through the sockets; these calls only fill queues and wake the block.
///
///   a request seen while neighbours tick in cycle t is handled in tick t+1 at the earliest (wake_next)
///   a response from a block nearer to memory may be used in the same cycle (wake_now)
class Component : public sc_core::sc_module, public Clocked, public Block {
 public:
  /// The parent adds the block to `clock` in the intended tick order (ClockDomain::add).
  Component(const sc_core::sc_module_name& name, const ClockDomain& clock)
      : sc_module(name), early_(const_cast<ClockDomain&>(clock).spare_seat()), clock_(clock) {}

  /// One cycle, clock().now(). Call wake_at() to schedule the next tick; otherwise the block sleeps.
  void tick() override = 0;
  /// True if and only if nothing is in flight.
  virtual bool idle() const = 0;
  virtual StatGroup& stats() = 0;
  /// Updates counters that are computed lazily, for readers during a run. Charges no time.
  virtual void catch_up() {}
  /// Called before statistics are read at the end: catches up and charges time up to clock().now().
  virtual void settle_stats() { stats().settle(clock_.now()); }
  /// The type of the block, for tools that report on machines.
  virtual const BlockType& type() const { return plain_block_type(); }
  /// The properties of this instance that its type's description names.
  virtual Properties properties() const { return {}; }
  /// The structures of this instance, for its area. Empty: unknown.
  virtual AreaTerms area() const { return {}; }

  Cycle now() const { return clock_.now(); }
  /// The domain to which it was added. nullptr before that, and in the fast mode, where blocks have no time.
  ClockDomain* domain() const { return seat_ != &early_ ? domain_ : nullptr; }
  /// Ticks the block in `cycle` or earlier. For the block and its parts. Before the block is added, the request is kept
  /// until then.
  void wake_at(Cycle cycle) { domain_->wake(*seat_, cycle); }
  void wake_next() { domain_->wake(*seat_, clock_.now() + 1); }
  void wake_now() { domain_->wake(*seat_, clock_.now()); }

 protected:
  const ClockDomain& clock() const { return clock_; }

 private:
  friend class ClockDomain;
  void attach(ClockDomain& domain, ClockDomain::Seat& seat) {
    domain_ = &domain;
    seat_ = &seat;
    wake_at(early_.wake);
  }

  ClockDomain::Seat early_;  // a seat until the block is added to its domain, so that wake_at() needs no test
  const ClockDomain& clock_;
  ClockDomain* domain_ = const_cast<ClockDomain*>(&clock_);
  ClockDomain::Seat* seat_ = &early_;
};

}  // namespace spica::base
