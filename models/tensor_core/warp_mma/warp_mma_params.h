// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/numeric/numerics.h"

namespace spica::tensor_core {

using numeric::Numerics;
inline constexpr auto kNumerics =
    numeric::numerics_choices("style", base::Choice<Numerics>{"custom", Numerics::kCustom});

enum class SumAlign : std::uint8_t { kZero, kDown };
inline constexpr base::Choices kSumAligns{base::Choice<SumAlign>{"zero", SumAlign::kZero},
                                          base::Choice<SumAlign>{"down", SumAlign::kDown}};
enum class SumFormat : std::uint8_t { kFp32, kE8m13 };
inline constexpr base::Choices kSumFormats{base::Choice<SumFormat>{"fp32", SumFormat::kFp32},
                                           base::Choice<SumFormat>{"e8m13", SumFormat::kE8m13}};
enum class SumRound : std::uint8_t { kOfResult, kZero, kNearest };
inline constexpr base::Choices kSumRounds{base::Choice<SumRound>{"standard", SumRound::kOfResult},
                                          base::Choice<SumRound>{"zero", SumRound::kZero},
                                          base::Choice<SumRound>{"nearest", SumRound::kNearest}};
enum class AddendEnters : std::uint8_t { kFirst, kLast };
inline constexpr base::Choices kAddendEnters{base::Choice<AddendEnters>{"first", AddendEnters::kFirst},
                                             base::Choice<AddendEnters>{"last", AddendEnters::kLast}};

/// Parameters of tensor cores with fragments in registers.
struct WarpMmaParams {
  Numerics numerics = Numerics::kOfUnit;
  std::uint64_t sum_fraction_bits = 0;
  std::uint64_t step_products = 0;
  SumAlign sum_align = SumAlign::kZero;
  SumFormat sum_result = SumFormat::kFp32;
  SumRound sum_round = SumRound::kOfResult;
  double sum_floor = numeric::SumRule::kNoFloor;
  AddendEnters c_enters = AddendEnters::kFirst;
  std::uint64_t startup = 8;
  std::uint64_t interval = 64;
  std::uint64_t latency = 64;

  /// Multiply-accumulates of a 16x16x16 operation.
  static constexpr std::uint64_t kBlockMacs = 16 * 16 * 16;

  /// Parameters of the programming model (see describe.h): programs see the sums.
  static constexpr std::string_view kProgrammingModel[] = {"numerics",  "sum_fraction_bits", "step_products",
                                                           "sum_align", "sum_result",        "sum_round",
                                                           "sum_floor", "c_enters"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"sum_fraction_bits", "step_products", "sum_floor"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("numerics", p.numerics, kNumerics,
          "rule of sums, to the bit (spica numerics --list): that of a silicon; style: follows "
          "tensor_core.style; tree_fp32: a tree of FP32 additions; custom: as style, with the keys below",
          "mma-sim nv.py, amd.py; khattak models, model_validation");
    field("sum_fraction_bits", p.sum_fraction_bits, "bits",
          base::Range{0, static_cast<double>(numeric::SumRule::kMostFractionBits)},
          "numerics style and custom: terms are cut this number of bits below the largest one; 0: as "
          "style",
          "mma-sim nv.py (Volta 23, Turing and Ampere 24, Hopper 25)");
    field("step_products", p.step_products, "products",
          base::Range{0, static_cast<double>(numeric::SumRule::kMostProducts)},
          "numerics custom: products added at once; 0: as style", "mma-sim nv.py");
    field("sum_align", p.sum_align, kSumAligns,
          "numerics custom: terms are cut toward zero or toward minus infinity", "mma-sim amd.py (down)");
    field("sum_result", p.sum_result, kSumFormats,
          "numerics custom: 32-bit sums; e8m13: without the low 10 bits of FP32",
          "mma-sim nv.py (FP8 of Ada)");
    field("sum_round", p.sum_round, kSumRounds,
          "numerics custom: rounding of a step; standard: toward zero to 32 bits, to nearest even to FP16",
          "fasi2021 section 3");
    field("sum_floor", p.sum_floor, "power of two",
          base::Range{static_cast<double>(numeric::SumRule::kNoFloor), 127},
          "numerics custom: least exponent to which terms are aligned; -10000: none", "khattak models");
    field("c_enters", p.c_enters, kAddendEnters,
          "numerics custom: the accumulator is a term of each step, or is added last to the sum of the "
          "step, to nearest even",
          "khattak model_validation (FP8 of Blackwell: last)");
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
