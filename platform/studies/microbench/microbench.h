// SPDX-License-Identifier: Apache-2.0
// `spica microbench`: measures latency and throughput of single blocks with small kernels, and compares them with
// closed formulas of the same parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/machine/soc/soc_params.h"
#include "platform/studies/microbench/formula.h"
#include "platform/studies/microbench/program.h"

namespace spica::microbench {

/// One measurement: its program, the expected value, and the allowed difference.
struct MicrobenchRow {
  std::string name;
  std::string unit;
  Formula formula;
  double tolerance = 0.005;  // relative to the formula; rounding of quotients is always allowed
  bool judged = true;  // false: the formula does not cover a feature of this machine
  MicrobenchProgram program;
  /// Converts cycles per operation to the unit: scale * c - less, or scale / c for a rate.
  double scale = 1;
  double less = 0;
  bool rate = false;
  /// The range expected of the hardware (an estimate, D20), only for the machine as configured.
  struct Range {
    double low, high;
  };
  std::optional<Range> expected = std::nullopt;
  /// Instead of the result of `program`: a counter of a block of cluster 0 after a run of another program.
  struct Statistic {
    std::string kernel, arguments;
    std::string block, counter;
  };
  std::optional<Statistic> statistic = std::nullopt;
};

/// Measurements of one block. `isolation` names configs/isolate/<isolation>.yaml: the same rows are measured on the
/// machine as configured and on one with nearly ideal other blocks.
struct MicrobenchGroup {
  std::string name;
  std::string title;
  std::string isolation;
  void (*rows)(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
  /// The measured path leaves the cluster: formulas do not cover other clock frequencies there.
  bool beyond_cluster = false;
  /// Configuration for a group requested by name, if the chosen machine has no rows for it.
  std::string machine = {};
};
const std::vector<MicrobenchGroup>& microbench_groups();

struct MicrobenchResult {
  std::string group;
  std::string machine;  // "as configured" or "isolated"
  MicrobenchRow row;
  double measured = 0;
  std::string error;  // reason for a missing measurement

  /// Relative to the formula.
  double difference() const;
  bool flagged() const;
  /// The measured value is outside the expected range.
  bool unexpected() const;
};

struct MicrobenchOptions {
  std::vector<std::string> groups;  // empty: all
  std::string config = "virgo";
  std::vector<std::string> overrides;
  std::string out;
  std::string kernel;  // ELF of sw/microbench
  std::string kernels_dir;  // of other programs
  std::string configs_dir;
  unsigned jobs = 1;
};

/// Runs the measurements, each in its own process. Throws ConfigError, and UserError for an unknown group or an output
/// folder that cannot be created. Results are in the order of the groups and rows.
std::vector<MicrobenchResult> run_microbench(const MicrobenchOptions& options);

/// The rows of each group, see microbench_groups().
void core_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void warps_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void shared_memory_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void coalescer_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void l1_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void l2_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void dram_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void instruction_cache_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void barrier_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void dma_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void tensor_core_volta_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void tensor_core_turing_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void sm_memory_volta_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void sm_memory_turing_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void sm_memory_ampere_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void sm_instructions_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void tensor_core_ampere_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);
void matrix_unit_rows(const soc::SocParams& params, std::vector<MicrobenchRow>& rows);

}  // namespace spica::microbench
