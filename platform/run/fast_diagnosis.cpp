// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fast_diagnosis.h"

#include "platform/run/end_text.h"

namespace spica::run {

namespace {

using simt_core::fast::FastCore;
using simt_core::fast::FastWarp;

/// Calls `visit(core, warp number, warp)` for each warp that runs.
template <class Visit>
void for_running_warps(soc::FastSoc& soc, Visit&& visit) {
  for (const FastCore* core : soc.cores())
    for (std::uint32_t rest = core->running_warps(); rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(rest));
      visit(*core, w, core->warp(w));
    }
}

std::string open_barriers(cluster::FastCluster& cluster, unsigned index) {
  std::string text;
  for (unsigned id = 0; id < cluster.barriers().ids(); ++id) {
    std::vector<BarrierArrivals> cores;
    for (const FastCore& core : cluster.cores) {
      BarrierArrivals& arrivals = cores.emplace_back();
      for (std::uint32_t rest = core.waiting_at_barrier(); rest != 0; rest &= rest - 1) {
        const FastWarp& warp = core.warp(static_cast<unsigned>(__builtin_ctz(rest)));
        if (warp.barrier_id != id) continue;
        ++arrivals.waiting;
        arrivals.expected = warp.barrier_count;
      }
    }
    text += open_barrier(index, id, cores, cluster.barriers().arrived(id));
  }
  return text;
}

}  // namespace

std::vector<watchdog::ProgressMonitor::WarpState> warp_states(soc::FastSoc& soc) {
  std::vector<watchdog::ProgressMonitor::WarpState> states;
  const auto warps = static_cast<unsigned>(soc.params().cluster.core.warps);
  for_running_warps(soc, [&](const FastCore& core, unsigned w, const FastWarp& warp) {
    states.push_back({core.identity().core * warps + w, hash_warp(warp.pc, warp.simt, warp.registers)});
  });
  return states;
}

std::vector<report::WarpSnapshot> snapshot_warps(soc::FastSoc& soc) {
  std::vector<report::WarpSnapshot> snapshots;
  for_running_warps(soc, [&](const FastCore& core, unsigned w, const FastWarp& warp) {
    report::WarpSnapshot snapshot;
    snapshot.core = core.identity().core;
    snapshot.warp = w;
    // Who waits at a barrier is behind it already.
    snapshot.pc = (core.waiting_at_barrier() >> w & 1) != 0 ? warp.pc - 4 : warp.pc;
    snapshot.mask = warp.simt.mask();
    snapshot.state = core.describe_warp(w);
    snapshots.push_back(snapshot);
  });
  return snapshots;
}

std::string last_traps(soc::FastSoc& soc, const loader::SourceMap& sources) {
  std::string text;
  for (const FastCore* core : soc.cores())
    for (unsigned w = 0; w < soc.params().cluster.core.warps; ++w)
      text += trap_line(core->identity().core, w, core->warp(w).machine, sources);
  return text.empty() ? text : "\nLast traps\n" + text;
}

std::string explain_end(soc::FastSoc& soc, End end, const loader::SourceMap& sources) {
  unsigned running = 0, at_barrier = 0;
  for (const FastCore* core : soc.cores()) {
    running += static_cast<unsigned>(__builtin_popcount(core->running_warps()));
    at_barrier += static_cast<unsigned>(__builtin_popcount(core->waiting_at_barrier()));
  }
  std::string text = why(end, running, at_barrier, soc.params().run);
  std::string barriers;
  for (unsigned i = 0; i < soc.clusters(); ++i) barriers += open_barriers(soc.cluster(i), i);
  if (!barriers.empty()) text += "\nOpen barriers\n" + barriers;
  if (running != 0) text += "\nWarps\n" + report::warp_table(snapshot_warps(soc), sources);
  return text + last_traps(soc, sources);
}

}  // namespace spica::run
