// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/numeric/sum_params.h"

namespace spica::tensor_core {

using numeric::Numerics;
inline constexpr auto kNumerics =
    numeric::numerics_choices("style", base::Choice<Numerics>{"custom", Numerics::kCustom});

/// Parameters of tensor cores with fragments in registers.
struct WarpMmaParams : numeric::SumParams {
  std::uint64_t startup = 8;
  std::uint64_t interval = 64;
  std::uint64_t latency = 64;

  /// Multiply-accumulates of a 16x16x16 operation.
  static constexpr std::uint64_t kBlockMacs = 16 * 16 * 16;

  /// Parameters of the programming model (see describe.h): programs see the sums.
  static constexpr auto kProgrammingModel = kSumKeys;
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr auto kPolicies = kSumPolicies;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("numerics", p.numerics, kNumerics,
          "rule of sums, to the bit (spica numerics --list): that of a silicon; style: follows "
          "tensor_core.style; tree_fp32: a tree of FP32 additions; custom: as style, with the keys below",
          "mma-sim nv.py, amd.py; khattak models, model_validation");
    describe_sums(p, field);
    field("startup", p.startup, "cycles", base::Range{0, 63},
          "from an instruction to its first step, if the warp has had no step for this time; 0 "
          "with style ampere",
          "raihan figure 5");
    field("interval", p.interval, "cycles", base::Range{1, 1024},
          "style block: distance of two operations of a tensor core",
          "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (ptx_opcode_initiation_tensor)");
    field("latency", p.latency, "cycles", base::Range{1, 1024},
          "style block: from an operation to one that uses its result",
          "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (ptx_opcode_latency_tesnor)");
  }

  template <class Report>
  static void check(const WarpMmaParams& p, Report&& contradiction) {
    check_sums(p, true, contradiction);
  }
};

}  // namespace spica::tensor_core
