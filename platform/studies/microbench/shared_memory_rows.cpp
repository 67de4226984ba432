// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

/// Where the lanes of a warp go.
class Pattern {
 public:
  explicit Pattern(const soc::SocParams& p)
      : words_(low(p.cluster.shared_memory.words)),
        word_bytes_(low(p.cluster.shared_memory.word_bytes)),
        base_(low(p.cluster.memory_map.shared_base)),
        lanes_(low(p.cluster.core.lanes)) {}

  /// Each lane to the word it owns: nothing meets.
  void aligned(MicrobenchProgram& program) const { conflict(program, 1); }
  /// The first `degree` lanes to one word bank, on as many lines; the others to their own words.
  void conflict(MicrobenchProgram& program, std::uint32_t degree) const {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
      program.lane_address[lane] = lane < degree ? word(lane, 0) : word(0, lane);
  }
  /// Each lane to the next lane's word: no bank is wanted twice, no lane is at its own.
  void shifted(MicrobenchProgram& program) const {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
      program.lane_address[lane] = word(0, (lane + 1) % lanes_);
  }

 private:
  std::uint32_t word(std::uint32_t line, std::uint32_t column) const {
    return base_ + (line * words_ + column) * word_bytes_;
  }
  std::uint32_t words_, word_bytes_, base_, lanes_;
};

}  // namespace

void shared_memory_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  const auto& s = p.cluster.shared_memory;
  const Pattern pattern(p);
  const auto lanes = low(p.cluster.core.lanes), warps = low(p.cluster.core.warps);
  if (lanes > s.words) return;  // the patterns need a word of a line for each lane
  // Lanes off their own words: all through one path, or only the banks limit them.
  const bool serialised = s.serialises_unaligned();
  const double shifted_cycles = serialised ? lanes : 1;
  const char* const shifted_term = serialised ? "unaligned lanes, one per cycle" : "unaligned path";

  const auto latency = [&](std::string name, std::string_view extra, double cycles) -> MicrobenchRow& {
    MicrobenchRow row;
    row.name = std::move(name);
    row.unit = "cycles";
    Formula load = shared_load(p);
    if (cycles != 0) load.add(extra, cycles);
    row.formula = largest(load, fetch_period(p));
    row.program.sequence = Sequence::kChase;
    row.program.lanes = lanes;
    row.program.fill = MicrobenchProgram::kSelf;
    rows.push_back(row);
    return rows.back();
  };
  MicrobenchRow& aligned = latency("load to use, aligned", "", 0);
  aligned.expected = MicrobenchRow::Range{14, 15};
  pattern.aligned(aligned.program);
  for (std::uint32_t degree = 2; degree <= lanes; ++degree)
    pattern.conflict(latency(fmt::format("load to use, {} lanes on one word bank", degree),
                             "conflict degree - 1 =", degree - 1)
                         .program,
                     degree);
  pattern.shifted(latency("load to use, unaligned, no bank twice", fmt::format("{} - 1 =", shifted_term),
                          shifted_cycles - 1)
                      .program);

  const auto throughput = [&](std::string name, bool store, std::uint32_t cores, std::string_view what,
                              double cycles) -> MicrobenchRow& {
    MicrobenchRow row;
    row.name = std::move(name);
    row.unit = "cycles/access";
    row.formula = largest(term(what, cycles), quotient(1, quotient(warps, fetch_period(p))));
    row.formula.text =
        fmt::format("max({} {:g}; ({}) / warps {})", what, cycles, fetch_period(p).text, warps);
    row.tolerance = 0.03;
    row.program.sequence = store ? Sequence::kStore : Sequence::kLoad;
    row.program.cores = cores;
    row.program.warps = warps;
    row.program.lanes = lanes;
    row.scale = 1.0 / warps;
    rows.push_back(row);
    return rows.back();
  };
  const auto cores = low(p.cluster.cores);
  for (const bool store : {false, true}) {
    const char* const kind = store ? "store" : "load";
    pattern.aligned(throughput(fmt::format("{}s, aligned", kind), store, 1, "accesses per bank", 1).program);
    pattern.shifted(
        throughput(fmt::format("{}s, unaligned", kind), store, 1, shifted_term, shifted_cycles).program);
    if (cores == 1) continue;
    if (cores <= s.banks) {
      MicrobenchProgram& apart = throughput(fmt::format("{}s, aligned, all cores, a bank each", kind), store,
                                            cores, "accesses per bank", 1)
                                     .program;
      pattern.aligned(apart);
      apart.core_offset = low(s.size / s.banks);
    }
    pattern.aligned(throughput(fmt::format("{}s, aligned, all cores, one bank", kind), store, cores,
                               "cores on the bank", cores)
                        .program);
    if (serialised)
      pattern.shifted(throughput(fmt::format("{}s, unaligned, all cores", kind), store, cores,
                                 "unaligned lanes of the cluster, one per cycle", cores * shifted_cycles)
                          .program);
  }
}

}  // namespace spica::microbench
