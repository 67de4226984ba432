// SPDX-License-Identifier: Apache-2.0
#include "platform/run/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platform/report/fault_report.h"
#include "platform/watchdog/hang_report.h"

namespace spica::run {

namespace {

/// Calls `visit(core, warp)` for each warp that runs.
template <class Visit>
void for_running_warps(soc::Soc& soc, Visit&& visit) {
  for (simt_core::SimtCore* core : soc.cores())
    for (std::uint32_t rest = core->running_warps(); rest != 0; rest &= rest - 1)
      visit(*core, static_cast<unsigned>(__builtin_ctz(rest)));
}

}  // namespace

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

std::string trap_line(unsigned core, unsigned warp, const isa::MachineMode& machine,
                      const loader::SourceMap& sources) {
  const isa::Cause cause = machine.last_cause();
  if (machine.traps() == 0 || cause == isa::Cause::kUserCall || cause == isa::Cause::kMachineCall) return {};
  const std::string place = report::frame_text(sources.lookup(machine.last_pc()).frame);
  return fmt::format("  core {}, warp {}: {} at pc {:#010x}{}, mtval {:#x}; {} trap{} in all\n", core, warp,
                     isa::cause_name(cause), machine.last_pc(), place.empty() ? "" : " (" + place + ")",
                     machine.last_value(), machine.traps(), machine.traps() == 1 ? "" : "s");
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

EndReport explain_machine(soc::Machine& soc, const Outcome& outcome, const loader::Program& program,
                          const loader::SourceMap& sources) {
  const watchdog::HangFacts facts = watchdog::hang_facts(soc, outcome.activity, outcome.end == End::kDeadlock);
  const watchdog::WaitGraph graph(facts);
  const watchdog::Names names = watchdog::names_of(soc.map(), program, sources);
  EndReport result;
  if (outcome.end == End::kCycleLimit) {
    result.text = fmt::format("Stopped at run.max_cycles = {}; the program has not ended.\n",
                              soc.params().run.max_cycles);
  } else {
    const watchdog::HangCause cause = watchdog::find_cause(graph, names);
    result.text = watchdog::cause_text(cause);
    result.json = watchdog::hang_json(cause, graph, names);
  }
  result.text += watchdog::graph_text(graph, names);
  return result;
}

EndReport explain_end(soc::Soc& soc, const Outcome& outcome, const loader::Program& program,
                      const loader::SourceMap& sources) {
  EndReport result = explain_machine(soc, outcome, program, sources);
  result.text += last_traps(soc, sources);
  std::ostringstream blocks;
  for (base::Component* component : soc.components())
    if (!component->idle() && dynamic_cast<simt_core::SimtCore*>(component) == nullptr)
      component->dump_state(blocks);
  if (!blocks.str().empty()) result.text += "\nBlocks with work in flight\n" + blocks.str();
  return result;
}

}  // namespace spica::run
