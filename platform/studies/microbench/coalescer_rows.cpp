// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>

#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

/// The requests of an access (virgo memory/Coalescing.scala): a cycle for each line that several lanes access, then one
/// cycle for all single lanes, which contend for the banks of the L1.
struct Requests {
  unsigned lines = 0;
  unsigned singles_cycle = 0;  // 1 when there are single lanes
  unsigned bank_singles = 0;  // most single lanes at one bank of the L1

  double cycles() const { return lines + singles_cycle; }
};

Requests requests_of(const MicrobenchProgram& program, const soc::SocParams& p) {
  std::map<std::uint32_t, unsigned> lanes_of_line;
  for (std::uint32_t lane = 0; lane < program.lanes; ++lane)
    ++lanes_of_line[program.lane_address[lane] / low(p.cluster.coalescer.line_bytes)];
  Requests result;
  std::map<std::uint64_t, unsigned> singles_of_bank;
  for (const auto& [line, lanes] : lanes_of_line) {
    if (lanes > 1) {
      ++result.lines;
      continue;
    }
    const std::uint64_t address = line * p.cluster.coalescer.line_bytes;
    const unsigned there = ++singles_of_bank[address / p.cluster.dcache.line_bytes % p.cluster.dcache.banks];
    result.bank_singles = std::max(result.bank_singles, there);
    result.singles_cycle = 1;
  }
  return result;
}

/// Lanes spread evenly over `lines` lines that are `distance` bytes apart.
void spread(MicrobenchProgram& program, std::uint32_t lines, std::uint32_t distance,
            std::uint32_t line_bytes) {
  for (std::uint32_t lane = 0; lane < program.lanes; ++lane)
    program.lane_address[lane] =
        kMicrobenchMemory + lane * lines / program.lanes * distance + 4 * lane % line_bytes;
}

}  // namespace

void coalescer_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  const auto lanes = low(p.cluster.core.lanes), warps = low(p.cluster.core.warps);
  const auto line = low(std::max(p.cluster.coalescer.line_bytes, p.cluster.dcache.line_bytes));
  const auto one_bank = low(p.cluster.dcache.line_bytes * p.cluster.dcache.banks);
  const auto add = [&](std::uint32_t lines, std::uint32_t distance, const char* where, bool stream) {
    MicrobenchRow row;
    MicrobenchProgram& program = row.program;
    program.lanes = lanes;
    program.fill = MicrobenchProgram::kSelf;
    spread(program, lines, distance, low(p.cluster.coalescer.line_bytes));
    const Requests requests = requests_of(program, p);
    const Formula cycles =
        term("lines of several lanes", requests.lines).add("single lanes", requests.singles_cycle);
    row.name =
        fmt::format("{}, {} line{}{}", stream ? "loads" : "load to use", lines, lines == 1 ? "" : "s", where);
    if (stream) {
      program.sequence = Sequence::kLoad;
      program.warps = warps;
      row.unit = "cycles/access";
      row.formula = largest(cycles, term("single lanes at one bank", requests.bank_singles));
      row.formula = {std::max(row.formula.value, fetch_period(p).value / warps),
                     fmt::format("max({}; ({}) / warps {})", row.formula.text, fetch_period(p).text, warps)};
      row.tolerance = 0.03;
      row.scale = 1.0 / warps;
    } else {
      program.sequence = Sequence::kChase;
      row.unit = "cycles";
      Formula load = l1_load(p);
      load.add("lines of several lanes", requests.lines)
          .add("single lanes at one bank", requests.bank_singles)
          .add("first of them", -1);
      row.formula = largest(load, fetch_period(p));
    }
    rows.push_back(row);
  };
  for (const bool stream : {false, true}) {
    for (std::uint32_t lines = 1; lines <= lanes; ++lines) add(lines, line, "", stream);
    if (p.cluster.dcache.banks > 1) add(lanes, one_bank, " in one bank", stream);
  }
}

}  // namespace spica::microbench
