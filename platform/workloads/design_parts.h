// SPDX-License-Identifier: Apache-2.0
// The parts of design files: groups of keys (for declarations see models/base/params.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/numeric/format_choices.h"
#include "platform/workloads/activation.h"
#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/operand_layout.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// The unit that multiplies.
enum class ComputeUnit : std::uint8_t {
  kTensorCore,
  kDecoupledTensorCore,
  kWarpTensorCore,
  kMatrixUnit,
  kLanes
};
inline constexpr base::Choices kComputeUnits{
    base::Choice<ComputeUnit>{"tensor_core", ComputeUnit::kTensorCore},
    base::Choice<ComputeUnit>{"decoupled_tensor_core", ComputeUnit::kDecoupledTensorCore},
    base::Choice<ComputeUnit>{"warp_tensor_core", ComputeUnit::kWarpTensorCore},
    base::Choice<ComputeUnit>{"matrix_unit", ComputeUnit::kMatrixUnit},
    base::Choice<ComputeUnit>{"lanes", ComputeUnit::kLanes}};

inline constexpr base::Choices kToolchains{
    base::Choice<compiler::Toolchain>{"gcc", compiler::Toolchain::kGcc},
    base::Choice<compiler::Toolchain>{"clang", compiler::Toolchain::kClang},
    base::Choice<compiler::Toolchain>{"published", compiler::Toolchain::kPublished}};

/// Other formats are derived (gemm_format.h).
inline constexpr base::Choices kElements = numeric::choices<Element::kFp32, Element::kFp16>();

/// Operands may be placed between the argument block and the stacks (runtime linker/vx_link32.ld).
inline constexpr std::uint64_t kOperandsBegin = 0xA000'0000, kStacksBegin = 0xFE00'0000;
inline constexpr base::Range kOperandPlaces{static_cast<double>(kOperandsBegin),
                                            static_cast<double>(kStacksBegin - 1)};
inline constexpr std::string_view kPlaceSource = "runtime linker/vx_link32.ld";
inline constexpr std::string_view kLayoutSource =
    "vortex core/VX_tensor_core.sv, virgo core/TensorCoreDecoupled.scala";

struct OperandA {
  Element element = Element::kFp32;
  OperandLayout layout = OperandLayout::kAlongK;
  std::uint64_t address = kOperandsBegin;

  static constexpr base::Choices kLayouts{
      base::Choice<OperandLayout>{"row_major", OperandLayout::kAlongK},
      base::Choice<OperandLayout>{"column_major", OperandLayout::kAcross},
      base::Choice<OperandLayout>{"pairs_of_k", OperandLayout::kPairsAcross},
      base::Choice<OperandLayout>{"swizzled", OperandLayout::kSwizzledA},
      base::Choice<OperandLayout>{"rows_of_k", OperandLayout::kRowsOfKA},
      base::Choice<OperandLayout>{"decoupled", OperandLayout::kDecoupledA}};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("element", p.element, kElements, "format of an element in memory");
    field(
        "layout", p.layout, kLayouts,
        "order in memory. pairs_of_k: column-major, pairs along k adjacent; swizzled: row-major with permuted "
        "squares, words of a tensor core adjacent; rows_of_k: permuted in tiles of 128 x 128 (B: 128 x 64), a row of "
        "words for each word of k once loaded; decoupled: blocks of a decoupled tensor core",
        kLayoutSource);
    field("address", p.address, "address", kOperandPlaces, "address of the matrix (of the first product)",
          kPlaceSource);
  }
};

struct OperandB {
  Element element = Element::kFp32;
  OperandLayout layout = OperandLayout::kAcross;
  std::uint64_t address = 0xA100'0000;

  static constexpr base::Choices kLayouts{
      base::Choice<OperandLayout>{"row_major", OperandLayout::kAcross},
      base::Choice<OperandLayout>{"column_major", OperandLayout::kAlongK},
      base::Choice<OperandLayout>{"pairs_of_k", OperandLayout::kPairsAcross},
      base::Choice<OperandLayout>{"swizzled", OperandLayout::kSwizzledB},
      base::Choice<OperandLayout>{"rows_of_k", OperandLayout::kRowsOfKB},
      base::Choice<OperandLayout>{"decoupled", OperandLayout::kDecoupledB}};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("element", p.element, kElements, "format of an element in memory, as of A");
    field(
        "layout", p.layout, kLayouts,
        "order in memory. pairs_of_k: row-major, pairs along k adjacent; swizzled: row-major with permuted "
        "squares, words of a tensor core adjacent; rows_of_k: permuted in tiles of 128 x 128 (B: 128 x 64), a row of "
        "words for each word of k once loaded; decoupled: blocks of a decoupled tensor core",
        kLayoutSource);
    field("address", p.address, "address", kOperandPlaces,
          "address of the matrix (of the first product); higher if A reaches it", kPlaceSource);
  }
};

struct ResultC {
  Element element = Element::kFp32;
  OperandLayout layout = OperandLayout::kAlongK;
  std::uint64_t address = 0xC000'0000;

  static constexpr base::Choices kLayouts{
      base::Choice<OperandLayout>{"row_major", OperandLayout::kAlongK},
      base::Choice<OperandLayout>{"decoupled", OperandLayout::kDecoupledC}};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("element", p.element, kElements, "format of an element in memory");
    field("layout", p.layout, kLayouts,
          "order in memory; decoupled: register by register of a decoupled tensor core, tile by tile",
          kLayoutSource);
    field("address", p.address, "address", kOperandPlaces, "address of the result; higher if B reaches it",
          kPlaceSource);
  }
};

struct GemmOperands {
  OperandA a;
  OperandB b;
  ResultC c;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.group("a", p.a, "A, m x k");
    field.group("b", p.b, "B, k x n");
    field.group("c", p.c, "C = A * B, m x n");
  }
};

/// The region between the markers of the corresponding published program (kernels sgemm_tcore, sgemm_gemmini_dma); see
/// platform/workloads/timed_region.h.
enum class Window : std::uint8_t { kResults, kBlocks, kStores, kCommands };
inline constexpr base::Choices kWindows{
    base::Choice<Window>{"results", Window::kResults}, base::Choice<Window>{"k_blocks", Window::kBlocks},
    base::Choice<Window>{"stores", Window::kStores}, base::Choice<Window>{"commands", Window::kCommands}};
std::string_view window_name(Window window);

/// The check of the result.
struct GemmCheckRule {
  enum class Order : std::uint8_t { kUnit, kAny };
  static constexpr base::Choices kOrders{base::Choice<Order>{"unit", Order::kUnit},
                                         base::Choice<Order>{"any", Order::kAny}};
  static constexpr base::Choices kReferences{base::Choice<Activation>{"product", Activation::kNone},
                                             base::Choice<Activation>{"swish", Activation::kSwish}};

  Activation reference = Activation::kNone;
  Order order = Order::kUnit;
  double tolerance = 0;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("reference", p.reference, kReferences,
          "expected C: the product, or x / (1 + exp(-x)) of each of its elements");
    field("order", p.order, kOrders,
          "rounding order of sums along k; unit: that of the computing unit, compared bit by bit; "
          "any: only the tolerance counts");
    field("tolerance", p.tolerance, "", base::Range{0, 1},
          "with order any: allowed difference from the product in double precision, relative to "
          "the sum of |a * b| along k; 0: the bound of FP32 rounding in any order");
  }
};

/// Published facts about the design, on the design's own configuration.
struct Published {
  std::string size;
  std::uint64_t cycles = 0;
  double utilisation = 0;
  std::string source;

  static constexpr std::string_view kRequired[] = {"size", "cycles", "source"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("size", p.size, "MxNxK, several joined by +");
    field("cycles", p.cycles, "cycles", base::Range{1, 1e15}, "published cycles");
    field("utilisation", p.utilisation, "", base::Range{0, 1}, "published utilisation; 0: none");
    field("source", p.source, "source of the number");
  }
};

}  // namespace spica::workloads
