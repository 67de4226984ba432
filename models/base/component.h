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
/// The clock domain calls tick() in the cycles the block asked for with wake_at(). Requests and responses
/// of neighbours arrive between ticks, through the sockets; they only put things into queues and wake.
///
///   a request seen while neighbours tick in cycle t is looked at in tick t+1 at the earliest (wake_next)
///   a response from a block nearer to memory may be used in the same cycle (wake_now)
class Component : public sc_core::sc_module, public Clocked, public Block {
 public:
  /// The parent adds the block to `clock` in the tick order it wants (ClockDomain::add).
  Component(const sc_core::sc_module_name& name, const ClockDomain& clock) : sc_module(name), clock_(clock) {}

  /// One cycle, clock().now(). Plans the next one with wake_at(); without it the block sleeps.
  void tick() override = 0;
  /// True iff nothing is in flight.
  virtual bool idle() const = 0;
  virtual StatGroup& stats() = 0;
  /// Brings lagging counters up to date, for readers during a run. Charges no time.
  virtual void catch_up() {}
  /// Called before statistics are read at the end: catches up and charges time up to clock().now().
  virtual void settle_stats() { stats().settle(clock_.now()); }
  /// What kind of block it is, for tools that report on machines.
  virtual const BlockType& type() const { return plain_block_type(); }
  /// The numbers of this instance that its type's description names.
  virtual Properties properties() const { return {}; }
  /// What this instance is made of, for its area; nothing: none is known of it.
  virtual AreaTerms area() const { return {}; }

  Cycle now() const { return clock_.now(); }
  /// The domain it was added to; nullptr before that, and in the fast mode, where blocks have no time.
  ClockDomain* domain() const { return seat_ != &early_ ? domain_ : nullptr; }
  // For the block and its parts: it ticks then, or earlier. What is asked for before the block is added counts from
  // there on; of a block that is never added it means nothing.
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

  ClockDomain::Seat
      early_;  // until the block has one in its domain: waking need not ask whether there is one
  const ClockDomain& clock_;
  ClockDomain* domain_ = const_cast<ClockDomain*>(&clock_);
  ClockDomain::Seat* seat_ = &early_;
};

}  // namespace spica::base
