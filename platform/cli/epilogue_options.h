// SPDX-License-Identifier: Apache-2.0
// What `spica gemm` can let a kernel do with the elements of C before it stores them.
#pragma once

#include <string>
#include <vector>

#include "platform/cli/command_line.h"
#include "platform/workloads/epilogue.h"

namespace spica::cli {

struct EpilogueOptions {
  std::string bias;  // "random", a file of numpy, or none
  std::string activation = "none";
  std::string output_format;  // none: fp32
  double output_scale = 0;  // 0: what fits

  bool given() const { return !bias.empty() || activation != "none" || !output_format.empty(); }
  /// Without its scales. Throws UserError.
  workloads::Epilogue epilogue() const;
  /// The numbers of the file; none: random ones. Throws UserError.
  std::vector<float> given_bias() const;
  /// "bias, relu, to int8"
  std::string text() const;
};

void add_epilogue_options(Command& command, EpilogueOptions& options);

}  // namespace spica::cli
