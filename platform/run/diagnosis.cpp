// SPDX-License-Identifier: Apache-2.0
#include "platform/run/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platform/run/end_text.h"

namespace spica::run {

namespace {

/// Calls `visit(core, warp)` for each warp that runs.
template <class Visit>
void for_running_warps(soc::Soc& soc, Visit&& visit) {
  for (simt_core::SimtCore* core : soc.cores())
    for (std::uint32_t rest = core->running_warps(); rest != 0; rest &= rest - 1)
      visit(*core, static_cast<unsigned>(__builtin_ctz(rest)));
}

/// The open barriers of a cluster: who has arrived, who is missing.
std::string open_barriers(cluster::Cluster& cluster, unsigned index) {
  std::string text;
  for (unsigned id = 0; id < cluster.barrier.ids(); ++id) {
    std::vector<BarrierArrivals> cores;
    for (const simt_core::SimtCore& core : cluster.cores) {
      BarrierArrivals& arrivals = cores.emplace_back();
      for (std::uint32_t rest = core.waiting_at_barrier(); rest != 0; rest &= rest - 1) {
        const simt_core::Warp& warp = core.warp(static_cast<unsigned>(__builtin_ctz(rest)));
        if (warp.barrier_id != id) continue;
        ++arrivals.waiting;
        arrivals.expected = warp.barrier_count;
      }
    }
    text += open_barrier(index, id, cores, cluster.barrier.arrived(id));
  }
  return text;
}

}  // namespace

std::uint64_t work_done(soc::Soc& soc) {
  std::uint64_t work = 0;
  for (const simt_core::SimtCore* core : soc.cores())
    work += const_cast<simt_core::SimtCore*>(core)->stats().stores.value();
  for (unsigned i = 0; i < soc.clusters(); ++i) {
    cluster::Cluster& cluster = soc.cluster(i);
    for (matrix_unit::MatrixUnit& unit : cluster.matrix_units) work += unit.stats().macs.value();
    for (tensor_core::DecoupledTensorCore& tensor : cluster.decoupled_tensor_cores)
      work += tensor.stats().macs.value();
    for (dma::Dma& dma : cluster.dmas)
      for (const auto& entry : dma.stats().counters()) work += entry.counter.value();
  }
  return work;
}

std::vector<watchdog::ProgressMonitor::WarpState> warp_states(soc::Soc& soc) {
  std::vector<watchdog::ProgressMonitor::WarpState> states;
  for_running_warps(soc, [&](const simt_core::SimtCore& core, unsigned w) {
    const auto number = static_cast<unsigned>(core.identity().core * core.params().warps + w);
    const simt_core::Warp& warp = core.warp(w);
    states.push_back({number, hash_warp(warp.issue_pc, warp.simt, warp.registers)});
  });
  return states;
}

std::vector<report::WarpSnapshot> snapshot_warps(soc::Soc& soc) {
  std::vector<report::WarpSnapshot> snapshots;
  for_running_warps(soc, [&](const simt_core::SimtCore& core, unsigned w) {
    const simt_core::Warp& warp = core.warp(w);
    report::WarpSnapshot snapshot;
    snapshot.core = core.identity().core;
    snapshot.warp = w;
    snapshot.pc = warp.issue_pc;
    snapshot.mask = warp.simt.mask();
    snapshot.state = core.describe_warp(w);
    snapshots.push_back(snapshot);
  });
  return snapshots;
}

std::string last_traps(soc::Soc& soc, const loader::SourceMap& sources) {
  std::string text;
  for (const simt_core::SimtCore* core : soc.cores())
    for (unsigned w = 0; w < core->params().warps; ++w) {
      const isa::MachineMode& machine = core->machine_mode(w);
      text += trap_line(core->identity().core, w, machine, sources);
    }
  return text.empty() ? text : "\nLast traps\n" + text;
}

std::string explain_end(soc::Soc& soc, End end, const loader::SourceMap& sources) {
  unsigned running = 0, at_barrier = 0;
  for (const simt_core::SimtCore* core : soc.cores()) {
    running += static_cast<unsigned>(__builtin_popcount(core->running_warps()));
    at_barrier += static_cast<unsigned>(__builtin_popcount(core->waiting_at_barrier()));
  }
  std::string text = why(end, running, at_barrier, soc.params().run);
  std::string barriers;
  for (unsigned i = 0; i < soc.clusters(); ++i) barriers += open_barriers(soc.cluster(i), i);
  if (!barriers.empty()) text += "\nOpen barriers\n" + barriers;
  if (running != 0) text += "\nWarps\n" + report::warp_table(snapshot_warps(soc), sources);
  text += last_traps(soc, sources);
  std::ostringstream blocks;
  for (base::Component* component : soc.components())
    if (!component->idle() && dynamic_cast<simt_core::SimtCore*>(component) == nullptr)
      component->dump_state(blocks);
  if (!blocks.str().empty()) text += "\nBlocks with work in flight\n" + blocks.str();
  return text;
}

}  // namespace spica::run
