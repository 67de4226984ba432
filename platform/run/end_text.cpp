// SPDX-License-Identifier: Apache-2.0
#include "platform/run/end_text.h"

#include <fmt/format.h>

#include "platform/report/fault_report.h"

namespace spica::run {

std::uint64_t hash_warp(std::uint32_t pc, const isa::SimtState& simt, const isa::RegisterFile& registers) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3u; };
  mix(pc);
  mix(simt.mask());
  mix(simt.depth());
  for (unsigned row = 0; row < isa::kRegisterRows; ++row) {
    const std::uint32_t* lanes = registers.row(row);
    for (unsigned lane = 0; lane < registers.stride(); ++lane) mix(lanes[lane]);
  }
  return hash;
}

namespace {

std::string core_list(std::uint32_t cores) {
  std::string text;
  for (std::uint32_t rest = cores; rest != 0; rest &= rest - 1)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", __builtin_ctz(rest));
  return text;
}

}  // namespace

std::string open_barrier(unsigned cluster, unsigned id, const std::vector<BarrierArrivals>& arrivals,
                         std::uint32_t complete) {
  std::string cores;
  for (std::size_t core = 0; core < arrivals.size(); ++core)
    if (arrivals[core].waiting != 0)
      cores += fmt::format("{}core {}: {} of {} warps", cores.empty() ? "" : "; ", core, arrivals[core].waiting,
                           arrivals[core].expected);
  if (cores.empty() && complete == 0) return {};
  const std::uint32_t all = ~std::uint32_t{0} >> (32 - arrivals.size());
  const std::string text = fmt::format("  cluster {} barrier {}: {}", cluster, id, cores);
  return complete == 0 ? text + "; no core is complete\n"
                       : text + fmt::format("; complete: core {}; missing: core {}\n", core_list(complete),
                                            core_list(all & ~complete));
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

std::string why(End end, unsigned running, unsigned at_barrier, const soc::RunParams& params) {
  if (end == End::kCycleLimit)
    return fmt::format("Stopped at run.max_cycles = {}; the program has not ended.\n", params.max_cycles);
  if (running == 0) return "Deadlock: all warps have ended, but some blocks still wait for each other.\n";
  if (end == End::kLivelock)
    return fmt::format(
        "Live-lock: {} of {} running warps repeat themselves without end{}, and nothing was stored, moved or "
        "computed for {} cycles.\n",
        running - at_barrier, running, at_barrier != 0 ? " while the others wait at a barrier" : "",
        params.hang_cycles);
  if (at_barrier == running)
    return fmt::format("Deadlock: {} at a barrier; nobody is left to complete one.\n",
                       running == 1 ? "the only running warp waits"
                                    : fmt::format("all {} running warps wait", running));
  return fmt::format("Deadlock: {} still running, and nothing in the machine can move any more.\n",
                     running == 1 ? "1 warp is" : fmt::format("{} warps are", running));
}

}  // namespace spica::run
