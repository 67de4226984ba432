// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/dispatcher/work_groups.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/work_group_if.h"
#include "models/protocol/transport/loose_time.h"

namespace spica::dispatcher {

struct DispatcherStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter grids{*this, "grids", Unit::kCount, "grids launched"};
  base::Counter groups{*this, "groups", Unit::kCount, "work groups dispatched to clusters"};
  base::Counter warps{*this, "warps", Unit::kCount, "warps started"};
  base::Counter full_cycles{*this, "full_cycles", Unit::kCycles,
                            "cycles in which work groups wait and no cluster has room for one"};
  base::Counter group_cycles{
      *this, "group_cycles", Unit::kCycles,
      "sum over work groups: from the choice of the cluster to the end of the last warp"};
};

/// The dispatcher of work groups: dispatches the work groups of grids to clusters with room, by the rules of
/// WorkGroups.
///
/// Timing   kernel_latency from the launch of a grid, groups_per_cycle work groups per cycle of all grids. Their warps
///          start launch_latency cycles later, on each core one after the other, warp_interval cycles apart. The
///          resources of a warp are free one cycle after its last instruction has completed
/// Source   vortex-kmu VX_kmu.sv, core/VX_cta_dispatch.sv
class Dispatcher final : public base::Component,
                         public protocol::Probed,
                         public protocol::GridLaunchIf,
                         public protocol::GroupSequenced,
                         private protocol::WarpEndIf {
 public:
  Dispatcher(const sc_core::sc_module_name& name, const DispatcherParams& params,
             const base::ClockDomain& clock);

  sc_core::sc_vector<sc_core::sc_port<protocol::WarpLaunchIf>> warps;  // by core of the machine
  sc_core::sc_vector<sc_core::sc_port<protocol::BarrierShareIf>> barriers;  // by cluster
  sc_core::sc_export<protocol::WarpEndIf> ends{"ends"};
  /// Receives the progress of grids; bound by their launcher.
  sc_core::sc_port<protocol::GridProgressIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> progress{"progress"};

  // protocol::GridLaunchIf
  void launch(const protocol::GridLaunch& launch) override;
  std::vector<std::string> why_not(const protocol::GridLaunch& launch) const override {
    return dispatcher::why_not(params_, launch);
  }
  std::uint64_t occupancy(const protocol::GridLaunch& launch) const override {
    return dispatcher::occupancy(params_, launch);
  }

  // protocol::GroupSequenced
  void follow(protocol::GroupSequenceIf& sequence) override { groups_.follow(sequence); }

  void tick() override;
  void reset() override;
  bool idle() const override { return groups_.empty(); }
  void catch_up() override { charge(); }
  DispatcherStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void settle_stats() override {
    charge();
    Component::settle_stats();
  }
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return stats_.groups.value(); }

 private:
  void warp_ended(unsigned core, unsigned warp) override;
  void dispatch(const WorkGroups::Dispatched& dispatched);
  void charge();

  const DispatcherParams params_;
  WorkGroups groups_;
  base::Calendar<WarpStart> starts_;
  base::Cycle charged_ = 0;  // all earlier cycles are charged
  base::Cycle ready_ = base::kNever;  // the earliest start of the next grid
  bool full_ = false;  // no work group that may start has room
  DispatcherStats stats_;
};

/// Dispatcher of the fast mode: warps start immediately.
class FastDispatcher final : public sc_core::sc_module,
                             public base::Block,
                             public protocol::Probed,
                             public protocol::GridLaunchIf,
                             private protocol::WarpEndIf {
 public:
  FastDispatcher(const sc_core::sc_module_name& name, const DispatcherParams& params,
                 const protocol::LooseTime& time);

  sc_core::sc_vector<sc_core::sc_port<protocol::WarpLaunchIf>> warps;
  sc_core::sc_vector<sc_core::sc_port<protocol::BarrierShareIf>> barriers;
  sc_core::sc_export<protocol::WarpEndIf> ends{"ends"};
  sc_core::sc_port<protocol::GridProgressIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> progress{"progress"};

  void launch(const protocol::GridLaunch& launch) override;
  std::vector<std::string> why_not(const protocol::GridLaunch& launch) const override {
    return dispatcher::why_not(params_, launch);
  }
  std::uint64_t occupancy(const protocol::GridLaunch& launch) const override {
    return dispatcher::occupancy(params_, launch);
  }
  void reset() override { groups_.reset(); }
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint&) override { return true; }

 private:
  void warp_ended(unsigned core, unsigned warp) override;
  void give_all();

  const DispatcherParams params_;
  const protocol::LooseTime& time_;
  WorkGroups groups_;
};

}  // namespace spica::dispatcher
