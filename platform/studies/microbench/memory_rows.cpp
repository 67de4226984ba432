// SPDX-License-Identifier: Apache-2.0
// Level 1, level 2, DRAM: latency by a chain of dependent loads of one lane, bandwidth by all
// warps.
#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

constexpr std::uint32_t kStreamLoads = 2 * (32 + 96);  // of a warp: two passes of the stream sequence

void add_latency(std::vector<MicrobenchRow>& rows, const char* name, const Formula& formula,
                 const MicrobenchProgram& program, MicrobenchRow::Range expected) {
  MicrobenchRow row;
  row.name = name;
  row.unit = "cycles";
  row.formula = formula;
  row.program = program;
  row.program.lane_address[0] = kMicrobenchMemory;
  row.expected = expected;
  rows.push_back(row);
}

/// Bytes that one access of a warp moves.
std::uint64_t access_bytes(const soc::SocParams& p) { return 4 * p.cluster.core.lanes; }

/// All warps of `cores` cores load, each access right after the previous one.
MicrobenchProgram stream(const soc::SocParams& p, std::uint64_t cores) {
  MicrobenchProgram program;
  program.sequence = Sequence::kStream;
  program.cores = low(cores);
  program.warps = low(p.cluster.core.warps);
  program.lanes = low(p.cluster.core.lanes);
  for (std::uint32_t lane = 0; lane < program.lanes; ++lane)
    program.lane_address[lane] = kMicrobenchMemory + 4 * lane;
  program.warp_offset = low(access_bytes(p));
  program.stride = program.warps * program.warp_offset;
  program.bytes = kStreamLoads * program.stride;
  program.core_offset = program.bytes;
  return program;
}

void add_bandwidth(std::vector<MicrobenchRow>& rows, const soc::SocParams& p, std::string name,
                   const Formula& formula, double tolerance, const MicrobenchProgram& program) {
  MicrobenchRow row;
  row.name = std::move(name);
  row.unit = "B/cycle";
  row.formula = formula;
  row.tolerance = tolerance;
  row.program = program;
  row.scale = number(access_bytes(p) * program.warps * program.cores);
  row.rate = true;
  rows.push_back(row);
}

/// Requests that a core can issue: a load takes two instructions (load, next address). The number of lines in flight is
/// that of the coalescer, each for `round_trip` cycles.
Formula core_rate(const soc::SocParams& p, std::uint64_t cores, unsigned instructions,
                  const Formula& round_trip) {
  const double bytes = number(access_bytes(p) * cores);
  const Formula issue_rate =
      smallest(term("fetches per cycle", 1), quotient(number(p.cluster.core.warps), fetch_period(p)));
  const Formula issue{bytes / instructions * issue_rate.value,
                      fmt::format("bytes of an access {:g} * cores {} / instructions {} * {}",
                                  number(access_bytes(p)), cores, instructions, issue_rate.text)};
  const double lines = number(p.cluster.coalescer.line_bytes * p.cluster.coalescer.line_ids * cores);
  const Formula ids{
      lines / round_trip.value,
      fmt::format("{} {} * line_ids {} * cores {} / ({})", label(p, p.cluster.coalescer.line_bytes),
                  p.cluster.coalescer.line_bytes, p.cluster.coalescer.line_ids, cores, round_trip.text)};
  return smallest(issue, ids);
}

std::vector<std::uint64_t> core_counts(const soc::SocParams& p) {
  if (p.cluster.cores == 1) return {1};
  return {1, p.cluster.cores};
}

std::string cores_text(std::uint64_t cores) {
  return cores == 1 ? "one core" : fmt::format("{} cores", cores);
}

/// What refresh adds to a load of `load` cycles on average: the wait of the load that meets one,
/// and what the rows cost it has closed.
Formula refresh_share(const soc::SocParams& p, double load, double closed_rows) {
  const auto& dram = p.main_memory.dram;
  if (dram.refresh_ns == 0 || !p.main_memory.is_dram()) return term("refresh", 0);
  const double interval = number(dram.refresh_ns) * p.core_mhz() / 1000;
  const double duration = dram_cycles(p, term("rfc", number(dram.rfc))).value;
  const double wait = duration < load ? duration * duration / 2 / load : duration - load / 2;
  return term("share of a refresh", load / interval * (wait + closed_rows));
}

/// From the coalescer's request to the response that frees its id.
Formula l1_round_trip(const soc::SocParams& p) {
  return term("L1 queue", 1).add("dcache.hit_latency", number(p.cluster.dcache.hit_latency));
}

}  // namespace

void l1_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  MicrobenchProgram chase;
  chase.sequence = Sequence::kChase;
  chase.fill = MicrobenchProgram::kSelf;
  add_latency(rows, "load to use, hit", largest(l1_load(p), fetch_period(p)), chase, {11, 13});

  for (const std::uint64_t cores : core_counts(p)) {
    MicrobenchProgram program = stream(p, cores);
    program.sequence = Sequence::kLoad;  // every load of a warp the same line
    program.fill = MicrobenchProgram::kSelf;
    program.core_offset = program.stride;
    const Formula rate = core_rate(p, cores, 1, l1_round_trip(p));
    add_bandwidth(rows, p, fmt::format("hits, {}", cores_text(cores)), rate, 0.03, program);
  }
}

namespace {

/// Bytes per cycle from the level 2 cache to one cluster.
Formula link_rate(const soc::SocParams& p) {
  const L2Link link = l2_link(p);
  return term(link.bytes_key, number(link.bytes));
}

Formula fixed_latency(const soc::SocParams& p) {
  const double nanoseconds = p.main_memory.fixed.latency_ns;
  return {std::ceil(nanoseconds * p.core_mhz() * 1e-3),
          fmt::format("ceil(latency_ns {:g} * clock_mhz {:g} / 10^3)", nanoseconds, p.core_mhz())};
}

}  // namespace

void l2_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  MicrobenchProgram chase;
  chase.sequence = Sequence::kChase;
  chase.fill = MicrobenchProgram::kRing;
  chase.stride = low(p.cluster.dcache.line_bytes);
  chase.bytes = low(2 * p.cluster.dcache.size_bytes);
  if (chase.bytes > p.l2.part_bytes() / 2) return;  // no place between the two levels
  add_latency(rows, "load to use, L1 miss and L2 hit", largest(l2_load(p), fetch_period(p)), chase, {36, 44});

  for (const std::uint64_t cores : core_counts(p)) {
    MicrobenchProgram program = stream(p, cores);
    program.fill = MicrobenchProgram::kWalk;
    if (program.bytes < 2 * p.cluster.dcache.size_bytes || program.bytes * cores > p.l2.part_bytes() * 3 / 4)
      continue;
    const Formula round_trip = l1_round_trip(p).add(l1_miss(p, Level1::kData));
    Formula rate = core_rate(p, cores, 2, round_trip);
    rate = smallest(rate, link_rate(p));
    rate = smallest(rate, term(p.l2.slices == 1 ? "l2.bank_bytes_per_cycle * banks"
                                                : "l2.bank_bytes_per_cycle * banks * slices",
                               number(p.l2.bank_bytes_per_cycle * p.l2.banks * p.l2.slices)));
    add_bandwidth(rows, p, fmt::format("L2 hits, {}", cores_text(cores)), rate, 0.05, program);
    rows.back().judged = rows.back().judged && forgets_in_turn(p.cluster.dcache.replacement);
  }
}

void dram_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  const std::size_t first = rows.size();
  const auto& dram = p.main_memory.dram;
  const Formula hit = dram_cycles(p, term("cl", number(dram.cl)).add("burst", number(dram.burst)));
  const Formula miss = dram_cycles(
      p, term("rcd", number(dram.rcd)).add("cl", number(dram.cl)).add("burst", number(dram.burst)));
  const Formula conflict = dram_cycles(p, term("rp", number(dram.rp))
                                              .add("rcd", number(dram.rcd))
                                              .add("cl", number(dram.cl))
                                              .add("burst", number(dram.burst)));
  const double refresh_tolerance = dram.refresh_ns == 0 ? 0.005 : 0.03;
  const Formula step = unit_latency(p, "alu_latency", p.cluster.core.alu_latency);

  // Untouched addresses; the next one needs what was loaded.
  const auto chase = [&](const char* name, std::uint64_t stride, const Formula& device, double closed_rows) {
    MicrobenchProgram program;
    program.sequence = Sequence::kChaseZero;
    program.stride = low(stride);
    Formula load = dram_load(p, device);
    load.add(refresh_share(p, load.value, closed_rows));
    add_latency(rows, name, load, program, {80, 120});
    rows.back().less = step.value;
    rows.back().tolerance = refresh_tolerance;
  };
  const double misses = 1 / number(dram.accesses_per_row);
  const Formula in_turn{(1 - misses) * hit.value + misses * miss.value,
                        fmt::format("{} of {} accesses {} + the last {}", dram.accesses_per_row - 1,
                                    dram.accesses_per_row, hit.text, miss.text)};
  if (p.main_memory.back_end == main_memory::BackEndKind::kFixed) {
    chase("load to use, line after line", p.l2.line_bytes, fixed_latency(p), 0);
  } else {
    chase("load to use, line after line", p.l2.line_bytes, in_turn,
          number(dram.banks * p.main_memory.channels) * (1 - misses) * (miss.value - hit.value));
    chase("load to use, a new row each time", dram.row_bytes * dram.banks * p.main_memory.channels,
          dram.accesses_per_row == 1 ? miss : conflict, 0);
  }

  for (const std::uint64_t cores : core_counts(p)) {
    const Formula round_trip = l1_round_trip(p).add(l1_miss(p, Level1::kData)).add(l2_miss(p, in_turn));
    Formula rate = core_rate(p, cores, 2, round_trip);
    rate = smallest(rate, link_rate(p));
    const double line = number(p.l2.line_bytes);
    const Formula bank = l2_bank_cycles(p, line, number(p.cluster.dcache.line_bytes));
    rate = smallest(rate, quotient(line, bank));
    // A bound: the device's latency is that of an idle one, and lines that wait for a busy bank or row
    // hold places that others could use.
    add_bandwidth(rows, p, fmt::format("first touch, {}", cores_text(cores)), rate, 0.3, stream(p, cores));
  }
  for (std::size_t i = first; i < rows.size(); ++i) rows[i].judged = knows_memory(p);
}

}  // namespace spica::microbench
