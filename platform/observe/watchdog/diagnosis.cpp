// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/observe/report/fault_report.h"
#include "platform/observe/watchdog/hang_report.h"
#include "platform/observe/watchdog/loop_text.h"

namespace spica::watchdog {

namespace {

/// Calls `visit(core, warp)` for all warps.
template <class Visit>
void for_warps(soc::Machine& machine, Visit&& visit) {
  for (unsigned core = 0; core < machine.core_count(); ++core)
    for (unsigned w = 0; w < machine.params().cluster.core.warps; ++w) visit(core, w);
}

AskedShape asked_shape(const WaitGraph& graph) {
  AskedShape asked;
  for (const Barrier& barrier : graph.barriers()) {
    unsigned arrived = 0, ended = 0;
    for (const BarrierAtCore& core : barrier.cores) {
      if (core.count() > graph.facts().warps_per_core) asked.warps = core.count();
      arrived += core.complete();
      ended += core.waiting.empty() && core.elsewhere.empty();
    }
    if (arrived != 0 && ended != 0 && arrived + ended == barrier.cores.size()) asked.cores = arrived;
  }
  return asked;
}

/// One that spins before one that waits for it.
std::optional<protocol::Origin> stuck_warp(const WaitGraph& graph) {
  const auto& warps = graph.spinning().empty() ? graph.running() : graph.spinning();
  if (warps.empty()) return std::nullopt;
  const WarpFact& warp = *warps.front();
  return protocol::Origin{protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp.warp),
                          static_cast<std::uint16_t>(warp.core), warp.pc, warp.mask};
}

}  // namespace

std::vector<report::WarpSnapshot> snapshot_warps(soc::Machine& machine) {
  std::vector<report::WarpSnapshot> snapshots;
  for_warps(machine, [&](unsigned core, unsigned w) {
    const soc::WarpView warp = machine.warp_view(core, w);
    if (!warp.running) return;
    report::WarpSnapshot snapshot;
    snapshot.core = core;
    snapshot.warp = w;
    snapshot.pc = warp.at_barrier ? warp.pc - 4 : warp.pc;  // it is after the barrier instruction
    snapshot.mask = warp.flow->mask();
    snapshot.state = machine.describe_warp(core, w);
    snapshots.push_back(snapshot);
  });
  return snapshots;
}

std::string last_traps(soc::Machine& machine, const loader::SourceMap& sources) {
  std::string text;
  for_warps(machine, [&](unsigned core, unsigned w) {
    const isa::MachineMode& mode = *machine.warp_view(core, w).machine_mode;
    const isa::Cause cause = mode.last_cause();
    if (mode.traps() == 0 || cause == isa::Cause::kUserCall || cause == isa::Cause::kMachineCall) return;
    const std::string place = report::frame_text(sources.lookup(mode.last_pc()).frame);
    text += fmt::format("  core {}, warp {}: {} at pc {:#010x}{}, mtval {:#x}; {} trap{} in all\n", core, w,
                        isa::cause_name(cause), mode.last_pc(), place.empty() ? "" : " (" + place + ")",
                        mode.last_value(), mode.traps(), mode.traps() == 1 ? "" : "s");
  });
  return text.empty() ? text : "\nLast traps\n" + text;
}

EndReport explain_end(soc::Machine& machine, const session::Outcome& outcome,
                      const std::vector<WarpActivity>& activity, const loader::Program& program,
                      const loader::SourceMap& sources) {
  using End = session::End;
  const bool asleep = outcome.end == End::kDeadlock;
  const HangFacts facts = hang_facts(machine, asleep ? std::vector<WarpActivity>() : activity, asleep);
  const WaitGraph graph(facts);
  const Names names = names_of(machine.map(), program, sources);
  EndReport result;
  bool shows_blocks = !facts.units_idle;  // where warps alone are to blame, they would only hide the table
  if (outcome.end == End::kCycleLimit) {
    result.text = fmt::format("Stopped at run.max_cycles = {}; the program has not ended.\n",
                              machine.params().run.max_cycles);
  } else if (outcome.end == End::kInterrupted) {
    result.text =
        fmt::format("Interrupted{}{} in cycle {}; the program has not ended.\n",
                    outcome.interrupted_by.empty() ? "" : " by ", outcome.interrupted_by, machine.now());
  } else {
    const HangCause cause = find_cause(graph, names);
    result.text = cause_text(cause);
    shows_blocks |= cause.kind == HangKind::kMachine;
    result.json = hang_json(cause, graph, names);
  }
  result.asked = asked_shape(graph);
  result.stuck = stuck_warp(graph);
  result.text += graph_text(graph, names) + loops_text(facts, names) + last_traps(machine, sources);
  if (const std::string groups = machine.describe_work_groups(); !groups.empty())
    result.text += "\nWork groups\n" + groups;
  if (const std::string blocks = shows_blocks ? machine.work_in_flight() : ""; !blocks.empty())
    result.text += "\nBlocks with work in flight\n" + blocks;
  return result;
}

}  // namespace spica::watchdog
