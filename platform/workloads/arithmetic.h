// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/numeric/block_format.h"
#include "models/numeric/fused_dot.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// The order and rounding of the sums of one element of C, along k. Written from the published description of the
/// hardware and independent of the models, which must agree with it bit by bit.
struct Arithmetic {
  enum class Kind : std::uint8_t {
    /// Matrix unit (gemmini PE.scala): chains of `length` fused multiply-adds in FP32, starting at 0; each chain is
    /// then added to the sum in the accumulator, which is rounded to `kept`.
    kFusedChains,
    /// Tensor cores (vortex fpu/VX_tensor_dpu.sv): `length` products are rounded to FP32 (of FP16 operands to FP16) and
    /// added in a binary tree of that format; the result is added to C in FP32.
    kProductTrees,
    /// Tensor cores with fragments in registers, and units with other numerics than their own: `rule`, in blocks of
    /// `length` products.
    kFusedSteps,
  };
  Kind kind = Kind::kFusedChains;
  unsigned length = 8;  // divides k
  Element element = Element::kFp32;  // of A and B
  Element result = Element::kFp32;  // of C in memory
  numeric::SumRule rule = {};  // of kFusedSteps
  Element kept = Element::kFp32;
  numeric::ScaleFormat scale = numeric::ScaleFormat::kNone;  // of blocks of A and B, of kFusedSteps

  /// Core-coupled tensor core: two 32-bit words along k per set. Decoupled tensor core: four.
  static Arithmetic tensor_core(Element element) { return trees(2, element); }
  static Arithmetic decoupled_tensor_core(Element element) { return trees(4, element); }
  /// Sums of `rule` in instructions of `depth` products; `result`: C in memory.
  static Arithmetic by_rule(numeric::SumRule rule, unsigned depth, Element element, Element result,
                            numeric::ScaleFormat scale = numeric::ScaleFormat::kNone) {
    if (rule.c_after_products == 0) rule.step_products = static_cast<std::uint8_t>(rule.products_of(depth));
    const Element kept = rule.result == numeric::SumResult::kFp16 ? Element::kFp16 : Element::kFp32;
    return {Kind::kFusedSteps, rule.block_products(), element, result, rule, kept, scale};
  }
  /// `length`: elements along k of a block operation; `kept`: format of sums between two block operations.
  static Arithmetic matrix_unit(Element element, unsigned length, Element result,
                                Element kept = Element::kFp32) {
    return {Kind::kFusedChains, length, element, result, {}, kept};
  }

 private:
  static Arithmetic trees(unsigned words, Element element) {
    return {Kind::kProductTrees, words * 32 / numeric::info(element).stored_bits, element, Element::kFp32};
  }
};

/// One line: order and rounding, and the silicon that adds like this.
std::string text(const Arithmetic& arithmetic);

/// C = A * B (row-major, m x k times k x n) rounded like the hardware. About 10 ms for FP32 and 256 x 256 x 256 on a
/// host with fused multiply-add.
std::vector<float> exact_product(const GemmSize& size, const std::vector<float>& a,
                                 const std::vector<float>& b, const Arithmetic& arithmetic);
/// C + A * B of a unit that starts with C in its accumulators.
std::vector<float> exact_sum(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                             std::vector<float> c, const Arithmetic& arithmetic);

/// The same for integers, in 32 bits modulo 2^32, in any order; A and B hold integers of at most 8 bits.
std::vector<std::int32_t> exact_integers(const GemmSize& size, const std::vector<float>& a,
                                         const std::vector<float>& b);

/// The largest difference of that arithmetic from the exact product.
Tolerance tolerance_of(const Arithmetic& arithmetic, std::uint32_t k);

/// The elements of `c` that differ in any bit from `expected`; NaNs are equal to each other.
std::vector<bool> differences(const std::vector<float>& expected, const std::vector<float>& c);
/// The number of elements in differences(), of this header or others (activation.h, epilogue.h).
template <class... Of>
std::uint64_t different_elements(const Of&... of) {
  const std::vector<bool> different = differences(of...);
  return static_cast<std::uint64_t>(std::count(different.begin(), different.end(), true));
}

}  // namespace spica::workloads
