// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/numeric/fused_dot.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// The order in which a unit rounds the sums of one element of C, along k. Written from the
/// published description of the hardware and independent of the models, which have to agree with it
/// bit by bit.
struct Arithmetic {
  enum class Kind : std::uint8_t {
    /// Matrix unit (gemmini PE.scala): chains of `length` fused multiply-adds in FP32 from 0; each
    /// chain is then added to the sum in the accumulator, which is rounded to `kept`.
    kFusedChains,
    /// Tensor cores (vortex fpu/VX_tensor_dpu.sv): `length` products are rounded to FP32, of FP16 operands to FP16, and
    /// added in a binary tree of that format; its result is added to C in FP32.
    kProductTrees,
    /// Tensor cores of fragments in registers (mma-sim functions.py): `length` products and C are added by `rule`.
    kFusedSteps,
  };
  Kind kind = Kind::kFusedChains;
  unsigned length = 8;  // a power of two that divides k
  Element element = Element::kFp32;  // of A and B
  Element result = Element::kFp32;  // of C in memory
  numeric::SumRule rule = numeric::SumRule::kTree;
  Element kept = Element::kFp32;

  /// Core-coupled tensor core: two words of 32 bits along k per set. Decoupled one: four.
  static Arithmetic tensor_core(Element element) { return trees(2, element); }
  static Arithmetic decoupled_tensor_core(Element element) { return trees(4, element); }
  /// `sums`: in this format from step to step.
  static Arithmetic warp_tensor_core(numeric::SumRule rule, unsigned length, Element element, Element sums) {
    return {Kind::kFusedSteps, length, element, sums, rule};
  }
  /// `length`: elements along k of a block operation; `kept`: sums between two.
  static Arithmetic matrix_unit(Element element, unsigned length, Element result,
                                Element kept = Element::kFp32) {
    return {Kind::kFusedChains, length, element, result, numeric::SumRule::kTree, kept};
  }

 private:
  static Arithmetic trees(unsigned words, Element element) {
    return {Kind::kProductTrees, words * 32 / numeric::info(element).stored_bits, element, Element::kFp32};
  }
};

/// C = A * B (row-major, m x k times k x n) rounded like the hardware. About 10 ms for FP32 and
/// 256 x 256 x 256 on a host with fused multiply-add.
std::vector<float> exact_product(const GemmSize& size, const std::vector<float>& a,
                                 const std::vector<float>& b, const Arithmetic& arithmetic);
/// C + A * B of a unit that begins with C in its accumulators. Not of kFusedSteps.
std::vector<float> exact_sum(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                             std::vector<float> c, const Arithmetic& arithmetic);

/// The same of integers, in 32 bits modulo 2^32, whatever the order; A and B hold integers of 8 bits or less.
std::vector<std::int32_t> exact_integers(const GemmSize& size, const std::vector<float>& a,
                                         const std::vector<float>& b);

/// What that arithmetic may differ from the exact product at most.
Tolerance tolerance_of(const Arithmetic& arithmetic, std::uint32_t k);

/// Which elements of `c` differ in any bit from `expected`; two NaN are equal.
std::vector<bool> differences(const std::vector<float>& expected, const std::vector<float>& c);
/// How many of differences(), of these or of what else finds them (activation.h, epilogue.h).
template <class... Of>
std::uint64_t different_elements(const Of&... of) {
  const std::vector<bool> different = differences(of...);
  return static_cast<std::uint64_t>(std::count(different.begin(), different.end(), true));
}

}  // namespace spica::workloads
