// SPDX-License-Identifier: Apache-2.0
#include "platform/run/problems.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "platform/base/text/number_format.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/report/warp_table.h"
#include "platform/observe/watchdog/diagnosis.h"
#include "platform/run/other_configurations.h"
#include "platform/run/stack_calls.h"

namespace spica::job {

namespace {

using session::End;

bool hangs(const EndedRun& run) {
  return run.outcome.end == End::kDeadlock || run.outcome.end == End::kLivelock;
}

std::string fault_texts(const EndedRun& run, const OtherConfigurations* others) {
  std::string texts;
  for (const protocol::GuestFault& fault : run.outcome.faults) {
    if (hangs(run) && fault.kind == protocol::FaultKind::kBarrierCount) continue;  // the report says it
    texts += report::format_fault(fault, {&run.sources, run.params.core_mhz(),
                                          run.params.cluster.tensor_style(), run.program.compressed});
    texts += stack_calls(run.machine, run.program, run.sources, fault);
    if (others != nullptr) texts += others->on_fault(fault, run.machine.map());
  }
  return texts;
}

/// Memory that the program has for itself: what was filled, and its own objects.
std::vector<loader::MemoryRange> own_memory(const EndedRun& run) {
  std::vector<loader::MemoryRange> own = run.filled;
  for (const loader::Symbol& symbol : run.program.symbols)
    if (symbol.kind == loader::Symbol::Kind::kObject && symbol.bytes != 0)
      own.push_back({symbol.name, symbol.address, symbol.bytes});
  return own;
}

std::string foreign_stores(const EndedRun& run, const OtherConfigurations& others) {
  // What a program says itself about the machine it was built for was compared with this one before the run.
  if (!run.program.notes.empty()) return "";
  const auto read_memory = [&run](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
    return run.machine.read(address, to, bytes);
  };
  return others.on_stores(run.machine.map(), read_memory, own_memory(run), run.has_printed);
}

std::string all_warps(const EndedRun& run) {
  return "\nAll warps\n" + report::warp_table(watchdog::snapshot_warps(run.machine), run.sources);
}

/// Everything that helps to find an internal error.
std::string internal_error(const EndedRun& run) {
  std::string text = all_warps(run);
  if (const std::string blocks = run.machine.work_in_flight(); !blocks.empty())
    text += "\nBlocks with work in flight\n" + blocks;
  return text;
}

}  // namespace

json::Value print_problems(const EndedRun& run, const std::filesystem::path* configs_dir,
                           HostErrors& host_errors) {
  std::optional<OtherConfigurations> others;
  if (configs_dir != nullptr) others.emplace(*configs_dir);
  const std::string faults = fault_texts(run, others ? &*others : nullptr);
  if (!hangs(run)) std::cerr << faults;
  if (run.outcome.unreported != 0)
    std::cerr << fmt::format("{} more warnings and notes are not shown.\n",
                             text::grouped(run.outcome.unreported));
  if (others) std::cerr << foreign_stores(run, *others);
  json::Value hang;
  if (run.outcome.end == End::kInternalError) {
    host_errors.internal(run.outcome.failure);
    std::cerr << internal_error(run);
  } else if (run.outcome.end == End::kBlockError) {
    host_errors.block(run.outcome.failure);
    std::cerr << all_warps(run);
  } else if (run.outcome.end == End::kFault) {
    std::cerr << all_warps(run);
  } else if (run.outcome.end == End::kKilled) {
    std::cerr << fmt::format("Killed in gdb at cycle {}.\n", run.outcome.cycles);
  } else if (!run.outcome.good()) {
    watchdog::EndReport ending =
        watchdog::explain_end(run.machine, run.outcome, run.activity, run.program, run.sources);
    hang = std::move(ending.json);
    std::cerr << ending.text << (hangs(run) && !faults.empty() ? "\n" + faults : "")  // the cause comes first
              << (others ? others->on_hang(run.params, ending.asked) : "");
  }
  if (run.outcome.good() && run.outcome.through_tohost && run.outcome.guest_exit_code != 0)
    std::cerr << fmt::format("The program reports a failure through tohost: test or exit code {}.\n",
                             run.outcome.guest_exit_code)
              << watchdog::last_traps(run.machine, run.sources);
  return hang;
}

}  // namespace spica::job
