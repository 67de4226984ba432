// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/cli/command_line.h"
#include "platform/cli/epilogue_options.h"
#include "platform/run/job_options.h"
#include "platform/workloads/gemm_loads.h"
#include "platform/workloads/matrix_view.h"

namespace spica::cli {

/// What `spica gemm` can be asked for.
struct GemmOptions {
  job::JobOptions job;
  std::string design;
  std::string size;
  std::string config;
  std::string convolution;
  std::string format;
  std::string region;  // of workloads::kRegions; empty: results, where the kernel has that
  std::string a, b, c;  // files of numpy
  bool scaled = false;
  std::string block_scale;
  workloads::OperandForm form_a, form_b;  // in memory
  EpilogueOptions epilogue;
  workloads::LeadingDimensions leading;
  unsigned batch = 1;
  /// The kernel must take rows that do not follow each other.
  bool strided() const { return !convolution.empty() || !leading.natural(); }
  bool reshaped() const { return form_a.given() || form_b.given(); }
};

/// Throws UserError when options say different things about the same.
void check_options(const GemmOptions& options);

void add_gemm_options(Command& command, GemmOptions& options);

}  // namespace spica::cli
