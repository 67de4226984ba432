// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/wait_graph.h"

#include <algorithm>
#include <set>
#include <utility>

namespace spica::watchdog {

namespace {

/// The work group whose warps wait there; 0: they belong to none.
std::uint64_t group_at(const HangFacts& facts, unsigned cluster, unsigned id) {
  for (const WarpFact& warp : facts.warps)
    if (warp.at_barrier && warp.cluster == cluster && warp.barrier_id == id) return warp.group;
  return 0;
}

}  // namespace

WaitGraph::WaitGraph(const HangFacts& facts) : facts_(facts) {
  std::set<std::pair<unsigned, unsigned>> open;
  for (const WarpFact& warp : facts.warps) {
    if (!warp.running) continue;
    running_.push_back(&warp);
    if (facts.spins(warp)) spinning_.push_back(&warp);
    if (warp.at_barrier) open.insert({warp.cluster, warp.barrier_id});
  }
  for (const auto& [cluster, id] : open) {
    Barrier barrier;
    barrier.cluster = cluster;
    barrier.id = id;
    const std::uint64_t group = group_at(facts, cluster, id);
    for (unsigned i = 0; i < facts.cores_per_cluster; ++i) {
      BarrierAtCore at;
      at.core = cluster * facts.cores_per_cluster + i;
      std::set<unsigned> counts;
      for (const WarpFact& warp : facts.warps) {
        if (warp.core != at.core || warp.group != group) continue;
        if (!warp.running) {
          if (warp.started) at.ended.push_back(&warp);
        } else if (warp.at_barrier && warp.barrier_id == id) {
          at.waiting.push_back(&warp);
          counts.insert(warp.barrier_count);
        } else {
          at.elsewhere.push_back(&warp);
        }
      }
      if (group != 0 && at.ended.empty() && at.waiting.empty() && at.elsewhere.empty()) continue;
      at.counts.assign(counts.begin(), counts.end());
      barrier.cores.push_back(std::move(at));
    }
    barriers_.push_back(std::move(barrier));
  }
}

}  // namespace spica::watchdog
