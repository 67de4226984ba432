// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/params.h"
#include "models/isa/instruction.h"
#include "models/numeric/format.h"
#include "models/tensor_core/decoupled/decoupled_params.h"
#include "models/tensor_core/warp_mma/warp_mma_params.h"

namespace spica::tensor_core {

/// Operand format, and the order of additions. FP32 and FP16: vortex fpu/VX_tensor_dpu.sv. Sums are FP32, of integer
/// operands 32-bit integers.
enum class Operand : std::uint8_t {
#define SPICA_OPERAND(name, format, rule) name,
#include "models/tensor_core/operands.def"
#undef SPICA_OPERAND
};
inline constexpr numeric::Format kFormatOfOperand[] = {
#define SPICA_OPERAND(name, format, rule) numeric::Format::format,
#include "models/tensor_core/operands.def"
#undef SPICA_OPERAND
};
constexpr numeric::Format format_of(Operand operand) {
  return kFormatOfOperand[static_cast<unsigned>(operand)];
}
/// The choice named like the number format; the v1 unit's adder tree has a name of its own.
constexpr base::Choice<Operand> operand_choice(Operand operand) {
  return {operand == Operand::kFp32V1 ? "fp32_v1" : numeric::info(format_of(operand)).key, operand};
}
inline constexpr base::Choices kOperands{
#define SPICA_OPERAND(name, format, rule) operand_choice(Operand::name),
#include "models/tensor_core/operands.def"
#undef SPICA_OPERAND
};

/// The style of a tensor core (isa/tensor_styles.def). The styles share opcode 0x7B; its meaning follows from the
/// style.
///
/// synchronous  wmma: operands and accumulators in registers, ordered by the scoreboard
/// decoupled    hgmma, hgmma_wait: operands in shared memory, asynchronous
/// volta        wmma32 of 32 lanes: fragments in registers of their own
/// turing       the same with other fragments, shapes, formats and times; ampere likewise
/// block        fragments as in Volta; each operation executes as a whole, one at a time
using Style = isa::TensorStyle;
inline constexpr base::Choices kStyles{
#define SPICA_TENSOR_STYLE(name, key, folder, even, odd) base::Choice<Style>{key, Style::k##name},
#include "models/isa/tensor_styles.def"
#undef SPICA_TENSOR_STYLE
};

/// Order and rounding of additions of the styles synchronous and decoupled.
inline constexpr auto kTileNumerics =
    numeric::numerics_choices("tree", base::Choice<Numerics>{"custom", Numerics::kCustom});

/// One tensor core. The defaults are the v1 unit: FP32, 16 multiply-accumulates per cycle.
struct TensorCoreParams : numeric::SumParams {
  bool present = true;
  Style style = Style::kSynchronous;
  Operand operand = Operand::kFp32V1;
  std::uint64_t operand_fifo = 4;
  std::uint64_t warp_fifo = 8;
  bool hold_first_halves = false;
  bool execute_register = false;
  std::uint64_t metadata_queue = 8;
  std::uint64_t pair_cycles = 2;
  std::uint64_t latency = 4;
  std::uint64_t result_fifo = 2;
  DecoupledParams decoupled;
  WarpMmaParams warp;
  // Set by the cluster, not keys.
  std::uint64_t warps = 8;
  std::uint64_t dispatch_depth = 5;  // micro-ops of a warp before the operand FIFO
  std::uint64_t dispatch_interval = 2;  // cycles between two micro-ops of a warp from its dispatch buffer

  numeric::Format format() const { return format_of(operand); }
  /// Elements along k in one register word.
  std::uint64_t word_elements() const { return 32 / numeric::info(format()).stored_bits; }
  /// Multiply-accumulates of one step pair: 4 rows x 4 columns x 2 register words of k.
  std::uint64_t macs_per_pair() const { return 32 * word_elements(); }

  /// Multiply-accumulates of one register row of the decoupled unit: 4 rows x 2 columns x 4 words of k.
  std::uint64_t macs_per_row() const { return 32 * word_elements(); }
  /// The peak rate; for tensor cores with fragments, that of 16-bit operands.
  std::uint64_t macs_per_cycle() const {
    if (style == Style::kBlock && present) return WarpMmaParams::kBlockMacs / warp.interval;
    if (is_warp()) return style == Style::kAmpere ? 256 : 128;
    return style == Style::kDecoupled ? macs_per_row() : macs_per_pair() / pair_cycles;
  }
  /// Products that a dot product of the styles synchronous and decoupled adds at once.
  unsigned dot_products() const {
    return static_cast<unsigned>((style == Style::kDecoupled ? 4 : 2) * word_elements());
  }
  /// The rule by which these styles add; std::nullopt: the tree of the published units, or integers.
  std::optional<numeric::SumRule> sum_rule() const {
    return numeric::selected_rule(*this, {}, format(), numeric::Format::kFp32, dot_products());
  }
  bool is_decoupled() const { return present && style == Style::kDecoupled; }
  bool is_warp() const { return present && isa::tensor_opcode(0, style) == isa::Opcode::kWmma32Mma; }
  /// True if the tensor core is present and `name` is its style in configurations.
  bool is(std::string_view name) const { return present && kStyles.name_of(style) == name; }

  /// Parameters of the programming model (see describe.h).
  static constexpr auto kProgrammingModel =
      joined(kSumKeys, std::array<std::string_view, 3>{"present", "style", "operand"});
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr auto kPolicies = kSumPolicies;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present, "each core has a tensor core; without one, tensor instructions are illegal",
          "paper table 2");
    field(
        "style", p.style, kStyles,
        "synchronous: wmma on registers; decoupled: asynchronous hgmma on shared memory; volta, "
        "turing, ampere: wmma32 on fragments of 32 lanes; block: fragments of Volta with one "
        "latency for a whole operation (warp.interval, warp.latency), as in simulators",
        "vortex core/VX_tensor_core.sv; vortex-hopper core/VX_tensor_hopper_core.sv; raihan sections II, III; sun section 2; gpgpu-sim configs/tested-cfgs/SM7_TITANV (block)");
    field(
        "operand", p.operand, kOperands,
        "operand format and order of additions; a 32-bit register word holds consecutive "
        "elements along k, and the time of a step does not depend on the format; styles "
        "synchronous and decoupled",
        "vortex fpu/VX_tensor_dpu.sv; chipyard RadianceConfigs.scala (v1: fp32_v1); formats: ieee754, ptx, ofp8, mx");
    field("numerics", p.numerics, kTileNumerics,
          "styles synchronous and decoupled: rule of sums, to the bit (spica numerics --list): tree: "
          "the adder tree of the published units; tree_fp32: the same in FP32; custom: with the keys below; "
          "else that of a silicon, for the products of a dot product at once",
          "vortex fpu/VX_tensor_dpu.sv (tree); mma-sim nv.py, amd.py; khattak models, model_validation");
    describe_sums(p, field);
    field("operand_fifo", p.operand_fifo, "step pairs", Range{1, 64},
          "complete pairs that wait for the dot-product units", "vortex core/VX_tensor_core.sv");
    field("warp_fifo", p.warp_fifo, "step pairs", Range{1, 64},
          "pairs from the operand FIFO to the end of the dot-product units", "vortex core/VX_tensor_core.sv");
    field("hold_first_halves", p.hold_first_halves,
          "a full operand or warp FIFO also stalls first halves of pairs, which need no entry",
          "vortex core/VX_tensor_core.sv: its ready signal covers both halves");
    field("execute_register", p.execute_register,
          "one register holds the next micro-op, for all warps: if it cannot enter, no other warp's does",
          "vortex core/VX_dispatch_unit_sane.sv (output buffer), core/VX_tensor_core.sv (hmma_ready)");
    field("metadata_queue", p.metadata_queue, "micro-ops", Range{2, 64},
          "micro-ops of a warp between dispatch and write-back; one full queue stalls all warps",
          "vortex core/VX_tensor_core.sv");
    field("pair_cycles", p.pair_cycles, "cycles", Range{1, 16},
          "cycles of the eight dot-product units per step pair", "vortex core/VX_tensor_core.sv");
    field("latency", p.latency, "cycles", Range{1, 32}, "latency of a dot product from operands to result",
          "vortex fpu/VX_tensor_dpu.sv (FP32 v1 4, FP32 v2 3, FP16 4; decoupled: FP32 4, FP16 5)");
    field("result_fifo", p.result_fifo, "step pairs", Range{1, 64},
          "completed pairs that wait for write-back, one row per cycle", "vortex core/VX_tensor_core.sv");
    field.group("decoupled", p.decoupled, "decoupled tensor core only");
    field.group("warp", p.warp, "tensor cores on register fragments only (volta, turing, ampere, block)");
  }

  template <class Report>
  static void check(const TensorCoreParams& p, Report&& contradiction) {
    check_numerics(p, contradiction);
    if (p.style != Style::kDecoupled) return;
    if (p.operand == Operand::kFp32V1)
      contradiction({"style", "operand"},
                    "a decoupled tensor core works on fp32 and any narrower format, not fp32_v1");
    if (p.decoupled.accumulator_rows + p.latency >= 32)
      contradiction({"decoupled.accumulator_rows", "latency"},
                    "their sum must be less than 32, so that a row is written before it is read again");
  }

 private:
  /// Settings of sums without effect are contradictions.
  template <class Report>
  static void check_numerics(const TensorCoreParams& p, Report&& contradiction) {
    if (!p.present) return;
    check_sums(p, false, contradiction);
    if (!p.is_warp()) {
      if (p.warp.sets_sums())
        contradiction(
            {"style", "warp.numerics"},
            "the numerics of styles synchronous and decoupled are tensor_core.numerics and the keys "
            "below it; here use style");
    } else if (p.sets_sums()) {
      contradiction(
          {"style", "numerics"},
          "the numerics of tensor cores with fragments are warp.numerics and the keys below it; here "
          "use tree");
    }
    if (p.is_warp() || p.numerics == Numerics::kOfUnit) return;
    if (!numeric::info(p.format()).is_float)
      return contradiction({"numerics", "operand"}, "sums of integers are exact: use tree");
    const std::string missing =
        numeric::missing_rule(p, {}, p.format(), numeric::Format::kFp32, p.dot_products());
    if (!missing.empty()) contradiction({"numerics", "operand"}, missing);
  }
};

}  // namespace spica::tensor_core
