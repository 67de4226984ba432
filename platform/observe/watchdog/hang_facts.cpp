// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/hang_facts.h"

namespace spica::watchdog {

HangFacts hang_facts(soc::Machine& machine, const std::vector<WarpActivity>& activity, bool asleep) {
  const soc::SocParams& p = machine.params();
  HangFacts facts;
  facts.cycle = machine.now();
  facts.clusters = static_cast<unsigned>(p.clusters);
  facts.cores_per_cluster = static_cast<unsigned>(p.cluster.cores);
  facts.warps_per_core = static_cast<unsigned>(p.cluster.core.warps);
  facts.asleep = asleep;
  facts.units_idle = machine.units_idle();
  facts.open_barriers = machine.open_barriers();
  for (unsigned core = 0; core < machine.core_count(); ++core)
    for (unsigned w = 0; w < facts.warps_per_core; ++w) {
      const soc::WarpView view = machine.warp_view(core, w);
      WarpFact fact;
      fact.cluster = core / facts.cores_per_cluster;
      fact.core = core;
      fact.warp = w;
      fact.group = view.group != nullptr ? view.group->number() + 1 : 0;
      fact.running = view.running;
      fact.started = view.running || view.pc != 0;
      fact.at_barrier = view.running && view.at_barrier;
      fact.barrier_id = view.barrier_id;
      fact.barrier_count = view.barrier_count;
      fact.pc = fact.at_barrier ? view.pc - 4 : view.pc;  // it is after the barrier instruction
      fact.mask = view.flow->mask();
      const bool parks = view.flow->parks();
      for (const isa::ControlFlow::Entry& entry : view.flow->open())
        fact.splits.push_back(parks ? WarpFact::Split{entry.pc, entry.else_lanes, true}
                                    : WarpFact::Split{entry.pc - 4, entry.original & ~fact.mask, false});
      if (view.barrier_visits != nullptr) fact.barrier_visits = *view.barrier_visits;
      fact.doing = machine.describe_warp(core, w);
      const std::size_t number = std::size_t{core} * facts.warps_per_core + w;
      if (number < activity.size()) fact.activity = activity[number];
      for (const Poll& poll : fact.activity.polls)
        for (std::uint32_t lanes = poll.what == Poll::What::kCsr ? 0 : poll.lanes; lanes != 0;
             lanes &= lanes - 1) {
          const std::uint32_t address = poll.addresses[static_cast<unsigned>(__builtin_ctz(lanes))];
          if (const auto origin = machine.last_change(address)) facts.changes[address] = *origin;
        }
      facts.warps.push_back(std::move(fact));
    }
  return facts;
}

}  // namespace spica::watchdog
