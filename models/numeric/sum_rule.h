// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

namespace spica::numeric {

/// How a unit adds the products of a dot product.
enum class Adder : std::uint8_t {
  /// Products and C are aligned to the largest exponent, cut there and added (NVIDIA).
  kAligned,
  /// Groups of 16 products are added exactly and multiplied by both scales of their block; these sums and C are aligned
  /// to the largest sum of scale exponents (mma with 4-bit operands and block scales).
  kScaledGroups,
  /// Products are aligned and cut, their sum and C a second time, both toward minus infinity (CDNA3).
  kTwoAlignments,
  /// As kTwoAlignments, but products of even and of odd k are added apart first (FP8 of CDNA3).
  kOddEven,
  /// Products are rounded to FP32 and added pairwise in FP32, C last.
  kTree,
  /// Products and C are added exactly and rounded once.
  kExact,
  /// Fused multiply-adds, one product after the other.
  kChain,
  /// Integers, exact in 32 bits that wrap.
  kInteger,
};

/// The format of sums between two steps, and of the result.
enum class SumResult : std::uint8_t {
  kFp32,
  kE8m13,  // FP32 without its low 10 bits
  kFp16,
  kFp64,  // kChain only
  kInt32,  // kInteger only
};

/// Rounding of a sum to its result, and of aligned terms to the grid.
enum class Rounding : std::uint8_t { kZero, kNearest, kDown };

/// How a unit adds, to the bit. Operands are a sign, a significand and the exponent that the format stores (subnormal
/// numbers: the least one). Products are exact and not normalized. A zero is not a term. E is the largest exponent of the
/// terms; each term is cut to a multiple of 2^(E - fraction_bits); no bit records what was cut. Their exact sum is rounded
/// to the result and is C of the next step. Sources: mma-sim functions.py, nv.py, amd.py; khattak models/*.m.
struct SumRule {
  static constexpr int kNoFloor = -10'000;
  static constexpr unsigned kMostProducts = 64, kMostFractionBits = 35;

  Adder adder = Adder::kAligned;
  std::uint8_t step_products = 8;
  std::uint8_t fraction_bits = 24;
  Rounding align = Rounding::kZero;
  SumResult result = SumResult::kFp32;
  Rounding round = Rounding::kZero;
  std::int16_t floor = kNoFloor;  // the least E
  /// 0: C is a term of each step. Otherwise the steps of this number of products begin with 0, and C is added to their
  /// sum, rounded to nearest even.
  std::uint8_t c_after_products = 0;
  /// A step of a block of `c_after_products` takes the k with k mod 4 in {0, 1}, the next one the others.
  bool takes_pairs = false;
  /// Subnormal operands and sums are zero (kTree only).
  bool flushes = false;

  bool is_tree() const { return adder == Adder::kTree; }
  /// Products between two additions of C.
  unsigned block_products() const { return c_after_products != 0 ? c_after_products : step_products; }
  /// Products of a step of an instruction with `k` products.
  unsigned products_of(unsigned k) const { return std::min<unsigned>(step_products, k); }
  /// An instruction of `k` products has whole steps; one with fewer products than a step has one step of these.
  bool takes(unsigned k) const {
    return c_after_products != 0 ? k % c_after_products == 0
                                 : k != 0 && (k <= step_products || k % step_products == 0);
  }
  /// The word of a result that is not a number.
  std::uint32_t nan() const {
    const bool is_nvidia = adder == Adder::kAligned || adder == Adder::kScaledGroups;
    if (result == SumResult::kFp16) return is_nvidia ? 0x7FFF : 0x7E00;
    return is_nvidia ? 0x7FFF'FFFF : 0x7FC0'0000;
  }
  auto members() const {
    return std::tie(adder, step_products, fraction_bits, align, result, round, floor, c_after_products,
                    takes_pairs, flushes);
  }
  bool operator==(const SumRule& other) const { return members() == other.members(); }
  bool operator!=(const SumRule& other) const { return !(*this == other); }
  bool operator<(const SumRule& other) const { return members() < other.members(); }
};

/// One line, such as "steps of 8 products and C, aligned, cut 24 bits below the largest, FP32 toward zero".
std::string text(const SumRule& rule);

}  // namespace spica::numeric
