// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fast_diagnosis.h"

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

}  // namespace

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

EndReport explain_end(soc::FastSoc& soc, const Outcome& outcome, const loader::Program& program,
                      const loader::SourceMap& sources) {
  EndReport result = explain_machine(soc, outcome, program, sources);
  result.text += last_traps(soc, sources);
  return result;
}

}  // namespace spica::run
