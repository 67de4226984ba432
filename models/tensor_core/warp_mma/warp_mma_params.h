// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/numeric/fused_dot.h"

namespace spica::tensor_core {

/// Order and rounding of additions in a tensor core with fragments in registers.
enum class Numerics : std::uint8_t { kOfStyle, kTreeFp32, kVolta, kTuring };
inline constexpr base::Choices kNumerics{base::Choice<Numerics>{"style", Numerics::kOfStyle},
                                         base::Choice<Numerics>{"tree_fp32", Numerics::kTreeFp32},
                                         base::Choice<Numerics>{"volta", Numerics::kVolta},
                                         base::Choice<Numerics>{"turing", Numerics::kTuring}};

/// Parameters of tensor cores with fragments in registers.
struct WarpMmaParams {
  Numerics numerics = Numerics::kOfStyle;
  std::uint64_t sum_fraction_bits = 0;
  std::uint64_t startup = 8;
  std::uint64_t interval = 64;
  std::uint64_t latency = 64;

  /// Multiply-accumulates of a 16x16x16 operation.
  static constexpr std::uint64_t kBlockMacs = 16 * 16 * 16;

  /// Parameters of the programming model (see describe.h): programs see the sums.
  static constexpr std::string_view kProgrammingModel[] = {"numerics", "sum_fraction_bits"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"sum_fraction_bits"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("numerics", p.numerics, kNumerics,
          "rule of sums of FP16 products: volta: four products and the accumulator, truncated 23 "
          "bits below the largest term; turing: eight products, 24 bits; tree_fp32: a tree of FP32 "
          "additions; style: follows tensor_core.style",
          "mma-sim functions.py, nv.py");
    field("sum_fraction_bits", p.sum_fraction_bits, "bits",
          base::Range{0, static_cast<double>(numeric::SumRule::kMostBits)},
          "internal width of sums: terms are truncated this number of bits below the largest one; "
          "0: width of numerics",
          "mma-sim nv.py (Volta 23, Turing and Ampere 24, Hopper 25; FP8 of Ada and Hopper 13)");
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
};

}  // namespace spica::tensor_core
