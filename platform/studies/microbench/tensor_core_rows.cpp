// SPDX-License-Identifier: Apache-2.0
// Tensor cores of fragments in registers: when the steps of one warp's multiply-add end, compared with those on the
// hardware. These rows are exact.
#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

/// Cycles from the instruction to the end of each of its steps, one warp alone.
struct Published {
  const char* shape;
  const char* formats;
  unsigned kind;  // argument of sw/kernels/wmma_probe
  std::vector<unsigned> ends;
};

void add_rows(const std::vector<Published>& tables, const char* source, std::vector<MicrobenchRow>& rows) {
  for (const Published& table : tables) {
    for (std::size_t step = 0; step < table.ends.size(); ++step) {
      MicrobenchRow row;
      row.name = fmt::format("{} {}, end of step {}", table.shape, table.formats, step + 1);
      row.unit = "cycles";
      row.formula = term(source, table.ends[step]);
      row.tolerance = 0;
      row.statistic = MicrobenchRow::Statistic{"wmma_probe", fmt::format("kind={}", table.kind),
                                               "warp_tensor_core_0", fmt::format("step_end_{}", step + 1)};
      rows.push_back(row);
    }
  }
}

}  // namespace

void tensor_core_volta_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (!p.cluster.tensor_core.is("volta")) return;
  add_rows(
      {{"m16n16k16", "f16, sums f32", 0, {10, 12, 14, 18, 20, 22, 24, 28, 30, 32, 34, 38, 40, 42, 44, 54}},
       {"m16n16k16", "f16, sums f16", 1, {12, 21, 25, 34, 38, 47, 51, 64}}},
      "raihan figure 5", rows);
}

void tensor_core_turing_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (!p.cluster.tensor_core.is("turing")) return;
  add_rows({{"m16n16k16", "f16, sums f32", 0, {42, 56, 78, 99}},
            {"m16n16k16", "f16, sums f16", 1, {44, 52, 60, 74}},
            {"m16n16k16", "s8, sums s32", 2, {40, 44, 47, 59}},
            {"m32n8k16", "f16, sums f32", 3, {48, 60, 81, 104}},
            {"m32n8k16", "f16, sums f16", 4, {44, 52, 60, 74}},
            {"m32n8k16", "s8, sums s32", 5, {52, 55, 59, 73}},
            {"m8n32k16", "f16, sums f32", 6, {42, 56, 77, 99}},
            {"m8n32k16", "f16, sums f16", 7, {42, 50, 58, 72}},
            {"m8n32k16", "s8, sums s32", 8, {38, 42, 46, 56}}},
           "raihan table I", rows);
}

void tensor_core_ampere_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (!p.cluster.tensor_core.is("ampere")) return;
  add_rows({{"m16n8k16", "f16, sums f32", 9, {25}},
            {"m16n8k16", "f16, sums f16", 10, {24}},
            {"m16n8k8", "f16, sums f32", 12, {18}},
            {"m16n8k8", "f16, sums f16", 13, {18}}},
           "sun table 3, in whole cycles", rows);
}

}  // namespace spica::microbench
