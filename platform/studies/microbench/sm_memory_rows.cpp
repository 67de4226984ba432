// SPDX-License-Identifier: Apache-2.0
// The memory of a streaming multiprocessor: latencies compared with those measured on the hardware, and loads of
// fragments compared with the published map of lanes and 32 banks of 4 bytes. All are exact, but for what several warps
// take together.
#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

/// Arguments of sw/kernels/fragment_probe.
enum Kind : unsigned { kRows, kColumns, kProduct, kSwizzled };

bool is_sm(const soc::SocParams& p, std::string_view style) {
  return p.cluster.tensor_core.is(style) && p.cluster.mio.shared_data_path;
}

/// Cycles from a load to an instruction that needs its data.
struct Latencies {
  double level1, level2, memory;
};

MicrobenchRow& add(std::vector<MicrobenchRow>& rows, std::string name, const char* unit, const char* source,
                   double value) {
  MicrobenchRow row;
  row.name = std::move(name);
  row.unit = unit;
  row.formula = term(source, value);
  row.tolerance = 0;
  rows.push_back(row);
  return rows.back();
}

void add_latencies(const soc::SocParams& p, const Latencies& published, std::vector<MicrobenchRow>& rows) {
  const char* const source = "lee table 1";
  MicrobenchProgram chase;
  chase.sequence = Sequence::kChase;
  chase.fill = MicrobenchProgram::kSelf;
  add(rows, "load to use, level 1 data cache", "cycles", source, published.level1).program = chase;
  chase.lane_address[0] = low(p.cluster.memory_map.shared_base);
  add(rows, "load to use, shared memory", "cycles", source, published.level1).program = chase;
  // A ring of lines that all fall into one set of the level 1 cache, and of one more than it has ways.
  const auto& l1 = p.cluster.dcache;
  chase.fill = MicrobenchProgram::kRing;
  chase.stride = low(l1.size_bytes / l1.ways);
  chase.bytes = chase.stride * low(l1.ways + 1);
  chase.lane_address[0] = kMicrobenchMemory;
  add(rows, "load to use, level 2 cache", "cycles", source, published.level2).program = chase;
  MicrobenchProgram fresh;
  fresh.sequence = Sequence::kChaseZero;
  fresh.stride = low(p.l2.line_bytes);
  MicrobenchRow& memory = add(rows, "load to use, memory", "cycles", source, published.memory);
  memory.program = fresh;
  memory.less = unit_latency(p, "alu_latency", p.cluster.core.alu_latency).value;
}

MicrobenchRow& add_probe(const soc::SocParams& p, std::vector<MicrobenchRow>& rows, std::string name,
                         const char* unit, Kind kind, unsigned stride, const char* counter,
                         const char* source, double value) {
  MicrobenchRow& row = add(rows, std::move(name), unit, source, value);
  row.statistic = MicrobenchRow::Statistic{"fragment_probe",
                                           fmt::format("u32:{},u32:{}", static_cast<unsigned>(kind), stride),
                                           label(p, p.cluster.mio), counter};
  return row;
}

/// All warps load A row by row or column by column, each load right after the one before it.
void add_stream(const soc::SocParams& p, const char* name, Sequence sequence, unsigned stride, double cycles,
                std::vector<MicrobenchRow>& rows) {
  MicrobenchRow& row = add(rows, name, "cycles/load", "cycles of the path", cycles);
  row.tolerance = 0.03;
  row.program.sequence = sequence;
  row.program.cores = low(p.cluster.cores);
  row.program.warps = 4;
  row.program.lanes = low(p.cluster.core.lanes);
  row.program.stride = stride;
  row.program.lane_address.fill(low(p.cluster.memory_map.shared_base));
  row.scale = 1.0 / (row.program.cores * row.program.warps);
}

}  // namespace

void sm_memory_volta_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (!is_sm(p, "volta")) return;
  add_latencies(p, {28, 198, 397}, rows);
  struct Load {
    Kind kind;
    unsigned stride;
    double passes;
  };
  for (const Load& load :
       {Load{kRows, 16, 16}, Load{kColumns, 16, 8}, Load{kRows, 64, 64}, Load{kColumns, 64, 32},
        Load{kRows, 128, 64}, Load{kColumns, 128, 32}, Load{kRows, 72, 16}, Load{kColumns, 72, 16},
        Load{kRows, 136, 16}, Load{kColumns, 136, 16}, Load{kSwizzled, 16, 8}}) {
    const char* const layout = load.kind == kRows      ? "row by row"
                               : load.kind == kColumns ? "column by column"
                                                       : "swizzled";
    add_probe(p, rows, fmt::format("A of 16x16 f16, {}, {} elements apart", layout, load.stride), "cycles",
              load.kind, load.stride, "shared_passes", "cutlass mma_traits_sm70.hpp, 32 banks", load.passes);
  }
  add_probe(p, rows, "A and B of one product, to registers", "bytes", kProduct, 16, "shared_bytes_read",
            "32 lanes * 2 fragments * 16 elements of 2 bytes =", 2048);
  add_stream(p, "A row by row, 16 elements apart, all warps", Sequence::kFragmentRows, 16, 16, rows);
  add_stream(p, "A row by row, 64 elements apart, all warps", Sequence::kFragmentRows, 64, 64, rows);
  add_stream(p, "A column by column, 16 elements apart, all warps", Sequence::kFragmentColumns, 16, 8, rows);
}

void sm_instructions_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (!p.cluster.mio.shared_data_path) return;
  const auto& core = p.cluster.core;
  // Published for Volta; for the others the parameters determine the result.
  const bool volta = is_sm(p, "volta");
  const auto add_chain = [&](const char* name, Sequence sequence, double published, std::uint64_t latency,
                             const char* parameter, std::uint64_t lanes_at_once) {
    MicrobenchRow& row = add(rows, name, "cycles", "jia table 4.1", published);
    const std::uint64_t packets = (core.lanes + lanes_at_once - 1) / lanes_at_once;
    if (!volta || published == 0)
      row.formula = term("operand_latency", number(core.operand_latency))
                        .add(parameter, number(latency))
                        .add("further packets", number(packets - 1))
                        .add("commit_latency", number(core.commit_latency));
    // With the machine's own instruction cache a line now and then comes late.
    row.judged = p.cluster.icache.hit_latency == 1;
    row.program.sequence = sequence;
    row.program.lanes = low(core.lanes);
  };
  add_chain("integer addition", Sequence::kDependentAlu, 4, core.alu_latency, "alu_latency", core.alu_lanes);
  add_chain("integer product", Sequence::kDependentMul, 5, core.mul_latency, "mul_latency", core.alu_lanes);
  add_chain("fused multiply-add, FP32", Sequence::kDependentFma, 4, core.fma_latency, "fma_latency",
            core.fpu_lanes);
  add_chain("conversion of integers to FP32 and back", Sequence::kConvert, 0, core.fpu_convert_latency,
            "fpu_convert_latency", core.fpu_lanes);
}

void sm_memory_turing_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (!is_sm(p, "turing")) return;
  add_latencies(p, {32, 230, 489}, rows);
  add_probe(p, rows, "A and B of one product, to registers", "bytes", kProduct, 16, "shared_bytes_read",
            "32 lanes * 2 fragments * 8 elements of 2 bytes =", 1024);
}

void sm_memory_ampere_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (is_sm(p, "ampere")) add_latencies(p, {33, 205, 568}, rows);
}

}  // namespace spica::microbench
