// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/sum_rule.h"

namespace spica::numeric {

namespace {

std::string products_text(const SumRule& rule) {
  const std::string count = std::to_string(rule.step_products);
  switch (rule.adder) {
    case Adder::kChain: return "fused multiply-adds along k";
    case Adder::kInteger: break;
    case Adder::kExact: return count + " products and C, exact";
    case Adder::kTree: return "a tree of FP32 additions of " + count + " products, then C";
    case Adder::kScaledGroups: return "4 exact sums of 16 products with their scales and C, aligned";
    case Adder::kOddEven: return count + " products, even and odd k apart, then C, each aligned";
    case Adder::kTwoAlignments: return count + " products, then C, each aligned";
    case Adder::kAligned: break;
  }
  if (rule.c_after_products == 0) return count + " products and C, aligned";
  if (rule.c_after_products == rule.step_products) return count + " products, aligned, C last";
  return count + " products at a time of " + std::to_string(rule.c_after_products) + ", aligned, C last";
}

std::string_view result_text(const SumRule& rule) {
  switch (rule.result) {
    case SumResult::kFp16: return "FP16";
    case SumResult::kE8m13: return "E8M13";
    case SumResult::kFp64: return "FP64";
    case SumResult::kInt32: return "INT32";
    case SumResult::kFp32: break;
  }
  return "FP32";
}

}  // namespace

std::string text(const SumRule& rule) {
  if (rule.adder == Adder::kInteger) return "exact; 32 bits that wrap";
  std::string all = products_text(rule);
  if (rule.fraction_bits != 0) {
    all += ", cut " + std::to_string(rule.fraction_bits) + " bits below the largest";
    if (rule.align == Rounding::kDown) all += " toward minus infinity";
  }
  if (rule.floor != SumRule::kNoFloor) all += " (at least 2^" + std::to_string(rule.floor) + ")";
  all += "; " + std::string(result_text(rule)) +
         (rule.round == Rounding::kNearest ? " to nearest even" : " toward zero");
  if (rule.flushes) all += ", subnormal numbers are zero";
  return all;
}

}  // namespace spica::numeric
