// SPDX-License-Identifier: Apache-2.0
#include "platform/run/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platform/report/fault_report.h"

namespace spica::run {

namespace {

/// FNV-1a over everything the guest can tell apart about one warp.
std::uint64_t hash_warp(const simt_core::Warp& warp) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3u; };
  mix(warp.issue_pc);
  mix(warp.simt.mask());
  mix(warp.simt.depth());
  for (unsigned row = 0; row < isa::kRegisterRows; ++row) {
    const std::uint32_t* lanes = warp.registers.row(row);
    for (unsigned lane = 0; lane < warp.registers.stride(); ++lane) mix(lanes[lane]);
  }
  return hash;
}

/// Calls `visit(core, warp)` for each warp that runs.
template <class Visit>
void for_running_warps(soc::Soc& soc, Visit&& visit) {
  for (simt_core::SimtCore* core : soc.cores())
    for (std::uint32_t rest = core->running_warps(); rest != 0; rest &= rest - 1)
      visit(*core, static_cast<unsigned>(__builtin_ctz(rest)));
}

std::string core_list(std::uint32_t cores) {
  std::string text;
  for (std::uint32_t rest = cores; rest != 0; rest &= rest - 1)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", __builtin_ctz(rest));
  return text;
}

/// One line per open barrier of a cluster: who has arrived, who is missing.
std::string open_barriers(cluster::Cluster& cluster, unsigned index) {
  std::string text;
  for (unsigned id = 0; id < cluster.barrier.ids(); ++id) {
    std::string cores;
    for (std::size_t c = 0; c < cluster.cores.size(); ++c) {
      const simt_core::SimtCore& core = cluster.cores[c];
      unsigned waiting = 0, expected = 0;
      for (std::uint32_t rest = core.waiting_at_barrier(); rest != 0; rest &= rest - 1) {
        const simt_core::Warp& warp = core.warp(static_cast<unsigned>(__builtin_ctz(rest)));
        if (warp.barrier_id != id) continue;
        ++waiting;
        expected = warp.barrier_count;
      }
      if (waiting != 0)
        cores += fmt::format("{}core {}: {} of {} warps", cores.empty() ? "" : "; ", c, waiting, expected);
    }
    const std::uint32_t arrived = cluster.barrier.arrived(id);
    if (cores.empty() && arrived == 0) continue;
    const std::uint32_t all = ~std::uint32_t{0} >> (32 - cluster.cores.size());
    text += fmt::format("  cluster {} barrier {}: {}", index, id, cores);
    text += arrived == 0 ? "; no core is complete\n"
                         : fmt::format("; complete: core {}; missing: core {}\n", core_list(arrived),
                                       core_list(all & ~arrived));
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
    states.push_back({number, hash_warp(core.warp(w))});
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
      const isa::Cause cause = machine.last_cause();
      if (machine.traps() == 0 || cause == isa::Cause::kUserCall || cause == isa::Cause::kMachineCall) continue;
      const std::string place = report::frame_text(sources.lookup(machine.last_pc()).frame);
      text += fmt::format("  core {}, warp {}: {} at pc {:#010x}{}, mtval {:#x}; {} trap{} in all\n",
                          core->identity().core, w, isa::cause_name(cause), machine.last_pc(),
                          place.empty() ? "" : " (" + place + ")", machine.last_value(), machine.traps(),
                          machine.traps() == 1 ? "" : "s");
    }
  return text.empty() ? text : "\nLast traps\n" + text;
}

std::string explain_end(soc::Soc& soc, End end, const loader::SourceMap& sources) {
  unsigned running = 0, at_barrier = 0;
  for (const simt_core::SimtCore* core : soc.cores()) {
    running += static_cast<unsigned>(__builtin_popcount(core->running_warps()));
    at_barrier += static_cast<unsigned>(__builtin_popcount(core->waiting_at_barrier()));
  }
  std::string text;
  if (end == End::kCycleLimit)
    text = fmt::format("Stopped at run.max_cycles = {}; the program has not ended.\n",
                       soc.params().run.max_cycles);
  else if (running == 0)
    text = "Deadlock: all warps have ended, but some blocks still wait for each other.\n";
  else if (end == End::kLivelock)
    text = fmt::format(
        "Live-lock: {} of {} running warps repeat themselves without end{}, and nothing was stored, moved or "
        "computed for {} cycles.\n",
        running - at_barrier, running, at_barrier != 0 ? " while the others wait at a barrier" : "",
        soc.params().run.hang_cycles);
  else if (at_barrier == running)
    text = fmt::format("Deadlock: {} at a barrier; nobody is left to complete one.\n",
                       running == 1 ? "the only running warp waits"
                                    : fmt::format("all {} running warps wait", running));
  else
    text = fmt::format("Deadlock: {} still running, and nothing in the machine can move any more.\n",
                       running == 1 ? "1 warp is" : fmt::format("{} warps are", running));
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
