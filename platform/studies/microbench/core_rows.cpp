// SPDX-License-Identifier: Apache-2.0
// The core: dependent instructions of one warp, many warps together, instruction fetch, barriers.
#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

MicrobenchProgram warps_of_core(const soc::SocParams& p, Sequence sequence, std::uint64_t warps) {
  MicrobenchProgram program;
  program.sequence = sequence;
  program.warps = low(warps);
  program.lanes = low(p.cluster.core.lanes);
  return program;
}

/// Warps that can share one of `units` units: warp w uses unit w mod units.
Formula units_rate(std::string_view name, std::uint64_t units, std::uint64_t warps) {
  return term(name, static_cast<double>(std::min(units, warps)));
}

/// Instructions per cycle of `warps` warps with nothing to wait for: one fetch per cycle and core,
/// one fetch period per warp.
Formula fetch_rate(const soc::SocParams& p, std::uint64_t warps) {
  return smallest(term("fetches per cycle", 1), quotient(static_cast<double>(warps), fetch_period(p)));
}

void add_rate(std::vector<MicrobenchRow>& rows, std::string name, std::uint64_t warps, const Formula& formula,
              const MicrobenchProgram& program) {
  MicrobenchRow row;
  row.name = fmt::format("{}, {} warp{}", name, warps, warps == 1 ? "" : "s");
  row.unit = "instr/cycle";
  row.formula = formula;
  row.tolerance = 0.03;  // warps do not start and end in the same cycle
  row.program = program;
  row.scale = static_cast<double>(warps);
  row.rate = true;
  rows.push_back(row);
}

}  // namespace

void core_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  const auto& core = p.cluster.core;
  const auto add = [&](std::string name, Sequence sequence, const Formula& latency) {
    MicrobenchRow row;
    row.name = std::move(name);
    row.unit = "cycles";
    row.formula = largest(latency, fetch_period(p));
    row.program = warps_of_core(p, sequence, 1);
    rows.push_back(row);
  };
  add("integer add to its use", Sequence::kDependentAlu, unit_latency(p, "alu_latency", core.alu_latency));
  add("integer multiply to its use", Sequence::kDependentMul,
      unit_latency(p, "mul_latency", core.mul_latency));
  add("integer divide to its use", Sequence::kDependentDiv, unit_latency(p, "div_latency", core.div_latency));
  add("fused multiply-add to its use", Sequence::kDependentFma,
      unit_latency(p, "fma_latency", core.fma_latency));
  add("conversion to its use", Sequence::kConvert,
      unit_latency(p, "fpu_convert_latency", core.fpu_convert_latency));
}

void warps_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  const auto& core = p.cluster.core;
  for (const std::uint64_t warps : {1, 2, 4, 8}) {
    if (warps > core.warps) continue;
    add_rate(rows, "integer add", warps,
             smallest(fetch_rate(p, warps), units_rate("alu_blocks", core.alu_blocks, warps)),
             warps_of_core(p, Sequence::kAlu, warps));
    if (warps == 8) rows.back().expected = MicrobenchRow::Range{0.9, 1.0};
  }
  for (const std::uint64_t warps : {1, 2, 4, 8}) {
    if (warps > core.warps) continue;
    add_rate(rows, "fused multiply-add", warps,
             smallest(fetch_rate(p, warps), units_rate("fpu_blocks", core.fpu_blocks, warps)),
             warps_of_core(p, Sequence::kFma, warps));
    if (warps == 8) rows.back().expected = MicrobenchRow::Range{0.9, 1.0};
  }
  for (const std::uint64_t warps : {1, 2, 4, 8}) {
    if (warps > core.warps) continue;
    const Formula one = unit_latency(p, "fma_latency", core.fma_latency);
    add_rate(rows, "dependent fused multiply-add", warps,
             smallest(fetch_rate(p, warps), smallest(units_rate("fpu_blocks", core.fpu_blocks, warps),
                                                     quotient(static_cast<double>(warps), one))),
             warps_of_core(p, Sequence::kDependentFma, warps));
  }
  for (const std::uint64_t warps : {1, 2, 4, 8}) {
    if (warps > core.warps) continue;
    MicrobenchProgram program = warps_of_core(p, Sequence::kLoad, warps);
    for (std::uint32_t lane = 0; lane < program.lanes; ++lane)
      program.lane_address[lane] = kMicrobenchMemory + 4 * lane;
    program.warp_offset = low(p.cluster.dcache.line_bytes *
                              std::max<std::uint64_t>(1, 4 * core.lanes / p.cluster.dcache.line_bytes));
    program.fill = MicrobenchProgram::kSelf;
    // The coalescer's ids come back when the L1 answers.
    const double lines = beats(4 * core.lanes, p.cluster.coalescer.line_bytes);
    Formula ids =
        quotient(static_cast<double>(p.cluster.coalescer.line_ids) / lines,
                 term("", 1).add("dcache.hit_latency", static_cast<double>(p.cluster.dcache.hit_latency)));
    ids.text = "line_ids " + ids.text;
    add_rate(rows, "load, L1 hit", warps,
             smallest(smallest(fetch_rate(p, warps), quotient(1, term("lines of an access", lines))), ids),
             program);
  }
}

void instruction_cache_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  MicrobenchRow row;
  row.name = "one warp alone, code in the cache";
  row.unit = "cycles/instr";
  row.formula = fetch_period(p);
  row.program = warps_of_core(p, Sequence::kAlu, 1);
  row.expected = MicrobenchRow::Range{6, 8};
  rows.push_back(row);

  // The sequence has 24 KB in its short and 40 KB in its long version, run in turns: with at most
  // 24 KB of cache each line is gone before it comes again.
  constexpr std::uint64_t kColdCode = 24 * 1024;
  const bool shared = p.cluster.shared_icache.present;
  if (p.cluster.icache.size_bytes >= kColdCode ||
      (shared ? p.cluster.shared_icache.size_bytes : p.l2.part_bytes()) < 4 * kColdCode)
    return;
  const double instructions = static_cast<double>(p.cluster.icache.line_bytes) / 4;
  Formula miss = shared ? shared_instruction_hit(p) : l1_miss(p, Level1::kInstructions);
  row.name = shared ? "one warp alone, code in the shared cache" : "one warp alone, code in the L2";
  row.formula = fetch_period(p);
  row.formula.value += miss.value / instructions;
  row.formula.text =
      fmt::format("{} + ({}) / instructions of a line {:g}", fetch_period(p).text, miss.text, instructions);
  row.tolerance = 0.01;
  row.judged = forgets_in_turn(p.cluster.icache.replacement);
  row.program = warps_of_core(p, Sequence::kColdCode, 1);
  row.expected.reset();
  rows.push_back(row);
}

void barrier_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  const auto& core = p.cluster.core;
  // Warp-control instructions pass the special-function unit in packets of its lanes.
  const double packets = beats(core.lanes, core.sfu_lanes) * number(core.sfu_interval);
  // Which looks at one warp per cycle: at the right one at once, or all others before.
  const double turn = (static_cast<double>(core.warps) - 1) / 2;
  const Formula release =
      term("barrier_request_latency", static_cast<double>(core.barrier_request_latency))
          .add("table_latency", static_cast<double>(p.cluster.barrier.table_latency))
          .add("response_latency", static_cast<double>(p.cluster.barrier.response_latency));
  for (std::uint64_t warps = 1; warps <= core.warps; warps *= 2) {
    MicrobenchRow row;
    row.name = fmt::format("barrier to barrier, {} warp{} of each core", warps, warps == 1 ? "" : "s");
    row.unit = "cycles";
    row.formula = release;
    row.formula.add("fetch", fetch_period(p).value)
        .add("issue", 1)
        .add("operand_latency", static_cast<double>(core.operand_latency))
        .add(fmt::format("(warps {} - 1) * packets and their interval {:g} =", warps, packets),
             (static_cast<double>(warps) - 1) * packets)
        .add("mean wait for the turn of the warp", turn);
    // The cores are at different warps, and the last one decides.
    row.tolerance = (p.cluster.cores > 1 ? 2 : 1) * turn / row.formula.value + 0.005;
    row.program = warps_of_core(p, Sequence::kBarriers, warps);
    row.program.cores = low(p.cluster.cores);
    row.program.stride = low(warps);
    rows.push_back(row);
  }
}

}  // namespace spica::microbench
