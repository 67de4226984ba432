// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/barrier/arrival_table.h"
#include "models/barrier/barrier_params.h"
#include "models/barrier/barrier_view.h"
#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/protocol/ports/barrier_if.h"
#include "models/protocol/ports/work_group_if.h"

namespace spica::barrier {

/// Barrier synchronizer of one cluster: collects one arrival per core and id, releases all at once.
///
/// Accepts  any number of arrivals per cycle (each core has its own request wire); only the low bits of an id are
///          wired: id modulo `ids`
/// Timing   arrive() in cycle t sets the bit in t + table_latency; the release reaches the cores response_latency
///          later. One id is released per cycle, round robin among ids.
/// Omits    participant counts: the cores count their warps. Every core of the cluster takes part, for a barrier of a
///          work group those that it runs on
/// Source   virgo tile/Barrier.scala
class BarrierSynchronizer final : public base::Component,
                                  public BarrierView,
                                  private protocol::BarrierIf,
                                  private protocol::BarrierShareIf {
 public:
  BarrierSynchronizer(const sc_core::sc_module_name& name, const BarrierParams& params,
                      const base::ClockDomain& clock);

  sc_core::sc_export<protocol::BarrierIf> in{"in"};
  sc_core::sc_export<protocol::BarrierShareIf> shares{"shares"};
  sc_core::sc_vector<sc_core::sc_port<protocol::BarrierReleaseIf>> release;  // by core

  unsigned ids() const override { return table_.ids(); }
  unsigned cores() const { return static_cast<unsigned>(release.size()); }
  /// Cores waiting at barrier `id`, one bit per core. Only bits of a row that is not complete yet stay.
  std::uint32_t arrived(unsigned id) const override { return table_.arrived(id); }
  /// Cores that an open barrier `id` waits for; 0 when none has arrived.
  std::uint32_t missing(unsigned id) const { return arrived(id) == 0 ? 0 : table_.cores(id) & ~arrived(id); }

  void tick() override;
  void reset() override;
  bool idle() const override;
  base::StatGroup& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Arrival {
    unsigned core, id;
  };
  struct Release {
    unsigned id;
    std::uint32_t cores;  // a bit each
    bool without_some;
  };
  void arrive(unsigned core, unsigned id) override;
  void share(unsigned first, unsigned count, std::uint32_t cores) override {
    for (unsigned id = first; id < first + count; ++id) table_.share(id, cores);
  }
  void leave(unsigned first, unsigned count, unsigned core) override;

  const BarrierParams params_;
  ArrivalTable table_;
  base::Calendar<Arrival> arrivals_;  // on the way into the table
  base::Calendar<Release> releases_;  // on the way to the cores

  base::StatGroup stats_;
  base::Counter& arrival_count_;
  base::Counter& release_count_;
  base::Counter& skew_cycles_;
  base::Counter& core_wait_cycles_;
  base::Counter& lost_arrivals_;
};

}  // namespace spica::barrier
