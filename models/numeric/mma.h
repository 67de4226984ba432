// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-adds to the bit, without a machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/numeric/number.h"
#include "models/numeric/product_sum.h"
#include "models/numeric/silicon.h"

namespace spica::numeric {

/// D = A * B + C as a silicon computes it, by a chain of instructions along k.
///
///   spica::numeric::Mma mma("hopper", "wgmma.m64n8k16.f32.f16.f16");
///   mma(a, b, c, d, 64, 8, 16);
///
/// Matrices are row-major, an element per word in its low bits; C and D are words of the result. Errors are
/// std::invalid_argument.
class Mma {
 public:
  /// `instruction`: as PTX writes it: mma, wgmma, tcgen05 or mfma, then the types of D and A, and of B if another. Shapes,
  /// layouts and other qualifiers do not matter to sums; "satfinite" does to integers, "ue8m0" and "ue4m3" are the types of
  /// block scales.
  Mma(std::string_view silicon, std::string_view instruction);
  /// By keys: operands as "fp16" (OperandInfo::key), result as "fp32". `instruction`: mma, ...; empty: that of the silicon.
  Mma(std::string_view silicon, std::string_view operands, std::string_view result,
      std::string_view instruction = {});
  /// Any rule that suits the operands.
  Mma(const SumRule& rule, const OperandInfo& operands);

  const SumRule& rule() const { return rule_; }
  const OperandInfo& operands() const { return *operands_; }
  /// nullptr: the rule was given.
  const SiliconRule* silicon_rule() const { return silicon_rule_; }
  bool is_integer() const { return rule_.adder == Adder::kInteger; }
  bool is_double() const { return rule_.result == SumResult::kFp64; }
  bool has_scales() const { return operands_->scale != ScaleFormat::kNone; }

  void operator()(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d,
                  unsigned m, unsigned n, unsigned k) const;
  /// With scales: a byte for each block along k, of A m x (k / block), of B (k / block) x n.
  void operator()(const std::uint32_t* a, const std::uint32_t* b, const std::uint8_t* scale_a,
                  const std::uint8_t* scale_b, const std::uint32_t* c, std::uint32_t* d, unsigned m,
                  unsigned n, unsigned k) const;
  /// Of FP64.
  void operator()(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* d,
                  unsigned m, unsigned n, unsigned k) const;

  /// The steps of one element: `a` a row, `b` a column of k words, with their scales. Not for integers and FP64.
  std::vector<StepTrace> explain(const std::uint32_t* a, const std::uint32_t* b, unsigned k, std::uint32_t c,
                                 const std::uint8_t* scale_a = nullptr,
                                 const std::uint8_t* scale_b = nullptr) const;

 private:
  void find(std::string_view silicon, std::string_view operands, SumResult result,
            std::string_view instruction);
  void check(unsigned k, bool has_scales) const;
  /// Rows of k numbers, with the exponents of their scales.
  std::vector<Number> numbers(const std::uint32_t* words, const std::uint8_t* scales, unsigned lines,
                              unsigned k, std::size_t line_stride, std::size_t k_stride, bool of_a) const;
  std::uint32_t scaled_groups(const Number* a, const Number* b, const std::uint8_t* scale_a,
                              const std::uint8_t* scale_b, std::size_t b_stride, unsigned k, std::uint32_t c,
                              std::vector<StepTrace>* trace = nullptr) const;
  std::uint32_t integers(const std::uint32_t* a, const std::uint32_t* b, std::size_t b_stride, unsigned k,
                         std::uint32_t c) const;

  SumRule rule_;
  const OperandInfo* operands_ = nullptr;
  const OperandInfo* b_operands_ = nullptr;
  const SiliconRule* silicon_rule_ = nullptr;
  bool saturates_ = false;
};

}  // namespace spica::numeric
