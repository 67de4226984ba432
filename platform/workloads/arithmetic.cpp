// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "models/numeric/convert.h"
#include "models/numeric/fused_parts.h"
#include "models/numeric/number.h"
#include "models/numeric/silicon.h"

// The loops over j exist twice, for hosts with fused multiply-add instructions and for any host (where each
// one is a library call); the loader chooses. Both give the same bits: nothing is contracted or reordered.
#if defined(__x86_64__)
#define SPICA_HOST_VARIANTS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SPICA_HOST_VARIANTS
#endif

namespace spica::workloads {

namespace {

template <Element element>
inline __attribute__((always_inline)) float rounded(float value) {
  if constexpr (element == Element::kFp16)
    return numeric::lanes::rounded<numeric::Format::kFp16, numeric::Overflow::kSpecial>(value);
  else return value;
}

/// Products of `length` elements of k, one after the other; `row` is the distance of B's rows.
SPICA_HOST_VARIANTS
void add_fused_products(const float* left, const float* right, std::uint64_t row, std::uint32_t length,
                        float* sums, std::uint32_t count) {
  constexpr std::uint32_t kAtATime = 4;  // a sum is read and written once for that many products
  std::uint32_t k = 0;
  for (; k + kAtATime <= length; k += kAtATime, right += kAtATime * row) {
    const float l[kAtATime] = {left[k], left[k + 1], left[k + 2], left[k + 3]};
    for (std::uint32_t j = 0; j < count; ++j) {
      float sum = sums[j];
      for (std::uint32_t i = 0; i < kAtATime; ++i) sum = __builtin_fmaf(l[i], right[i * row + j], sum);
      sums[j] = sum;
    }
  }
  for (; k < length; ++k, right += row)
    for (std::uint32_t j = 0; j < count; ++j) sums[j] = __builtin_fmaf(left[k], right[j], sums[j]);
}

SPICA_HOST_VARIANTS
void add(const float* terms, float* sums, std::uint32_t count) {
  for (std::uint32_t j = 0; j < count; ++j) sums[j] = sums[j] + terms[j];
}

/// The products of `length` elements of k, added up; `row` is the distance of B's rows.
template <Element element, unsigned length>
inline __attribute__((always_inline)) float tree(const float* left, const float* right, std::uint64_t row) {
  if constexpr (length == 1) {
    return rounded<element>(left[0] * right[0]);
  } else {
    const float lower = tree<element, length / 2>(left, right, row);
    const float upper = tree<element, length / 2>(left + length / 2, right + length / 2 * row, row);
    return rounded<element>(lower + upper);
  }
}

template <Element element, unsigned length>
inline __attribute__((always_inline)) void add_trees(const float* left, const float* right, std::uint64_t row,
                                                     float* sums, std::uint32_t count) {
  for (std::uint32_t j = 0; j < count; ++j) sums[j] = tree<element, length>(left, right + j, row) + sums[j];
}

// target_clones cannot be given to a template, so each combination that exists has a function.
using AddTrees = void (*)(const float*, const float*, std::uint64_t, float*, std::uint32_t);
#define SPICA_ADD_TREES(name, element, length)                                                         \
  SPICA_HOST_VARIANTS void name(const float* left, const float* right, std::uint64_t row, float* sums, \
                                std::uint32_t count) {                                                 \
    add_trees<element, length>(left, right, row, sums, count);                                         \
  }
SPICA_ADD_TREES(add_trees_fp32_2, Element::kFp32, 2)
SPICA_ADD_TREES(add_trees_fp32_4, Element::kFp32, 4)
SPICA_ADD_TREES(add_trees_fp32_8, Element::kFp32, 8)
SPICA_ADD_TREES(add_trees_fp32_16, Element::kFp32, 16)
SPICA_ADD_TREES(add_trees_fp32_32, Element::kFp32, 32)
SPICA_ADD_TREES(add_trees_fp16_4, Element::kFp16, 4)
SPICA_ADD_TREES(add_trees_fp16_8, Element::kFp16, 8)
#undef SPICA_ADD_TREES

AddTrees add_trees_of(const Arithmetic& arithmetic) {
  if (arithmetic.element == Element::kFp16)
    return arithmetic.length == 4 ? add_trees_fp16_4 : add_trees_fp16_8;
  switch (arithmetic.length) {
    case 2: return add_trees_fp32_2;
    case 4: return add_trees_fp32_4;
    case 8: return add_trees_fp32_8;
    case 16: return add_trees_fp32_16;
    default: return add_trees_fp32_32;
  }
}

}  // namespace

namespace {

/// The numbers of an operand, taken apart.
struct Numbers {
  Numbers(Element element, const std::vector<float>& numbers)
      : values(numbers.size()), exponents(numbers.size()) {
    const auto count = static_cast<std::uint32_t>(numbers.size());
    if (element != Element::kFp16) {
      finite = numeric::take_apart(element, numbers.data(), count, values.data(), exponents.data());
      return;
    }
    std::array<std::uint16_t, 1024> halves;
    finite = true;
    for (std::uint32_t i = 0; i < count; i += halves.size()) {
      const std::uint32_t some = std::min<std::uint32_t>(halves.size(), count - i);
      numeric::round_to_halves(&numbers[i], some, halves.data());
      if (!numeric::take_apart(halves.data(), some, &values[i], &exponents[i])) finite = false;
    }
  }
  std::vector<float> values;
  std::vector<std::int32_t> exponents;
  bool finite;
};

/// A sum of `length` products and the accumulator at a time.
std::vector<float> fused_steps(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                               std::vector<float> c, const Arithmetic& arithmetic) {
  const Numbers left(arithmetic.element, a), right(arithmetic.element, b);
  constexpr std::uint32_t kColumns = 16, kTerms = 64;  // at a time: as much of B as stays in the host's cache
  struct alignas(32) Columns {
    float values[kTerms * kColumns];
    std::int32_t exponents[kTerms * kColumns];
  };
  c.resize(std::uint64_t{size.m} * size.n);
  struct alignas(32) Row {
    std::uint32_t words[kColumns];
  };
  std::vector<Row> sums(size.m);
  Columns part;
  for (std::uint32_t column = 0; column < size.n; column += kColumns) {
    const std::uint32_t columns = std::min(kColumns, size.n - column);  // a multiple of 8
    for (std::uint32_t row = 0; row < size.m; ++row) {
      const auto word = [&](float sum) { return numeric::sum_word(arithmetic.rule.result, sum); };
      const float* const from = &c[std::uint64_t{row} * size.n + column];
      std::transform(from, from + columns, sums[row].words, word);
    }
    for (std::uint32_t k = 0; k < size.k; k += kTerms) {
      const std::uint32_t terms = std::min(kTerms, size.k - k);
      for (std::uint32_t i = 0; i < terms; ++i) {
        const std::uint64_t at = std::uint64_t{k + i} * size.n + column;
        std::copy_n(&right.values[at], columns, part.values + i * kColumns);
        std::copy_n(&right.exponents[at], columns, part.exponents + i * kColumns);
      }
      numeric::add_fused_dot(arithmetic.rule, {{&left.values[k], &left.exponents[k], size.k},
                                               {part.values, part.exponents, kColumns},
                                               left.finite && right.finite,
                                               sums.front().words,
                                               kColumns,
                                               size.m,
                                               columns / 8,
                                               terms});
    }
    for (std::uint32_t row = 0; row < size.m; ++row) {
      const auto value = [&](std::uint32_t word) { return numeric::sum_value(arithmetic.rule.result, word); };
      std::transform(sums[row].words, sums[row].words + columns, &c[std::uint64_t{row} * size.n + column],
                     value);
    }
  }
  if (arithmetic.result != Element::kFp32)
    numeric::round_all(arithmetic.result, numeric::Overflow::kSpecial, c.data(), c.size());
  return c;
}

}  // namespace

std::vector<float> exact_product(const GemmSize& size, const std::vector<float>& a,
                                 const std::vector<float>& b, const Arithmetic& arithmetic) {
  return exact_sum(size, a, b, {}, arithmetic);
}

std::vector<float> exact_sum(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                             std::vector<float> c, const Arithmetic& arithmetic) {
  if (arithmetic.kind == Arithmetic::Kind::kFusedSteps)
    return fused_steps(size, a, b, std::move(c), arithmetic);
  const std::uint32_t n = size.n, length = arithmetic.length;
  const bool adds = !c.empty();
  c.resize(std::uint64_t{size.m} * n);
  std::vector<float> partial(n);
  const AddTrees add_trees = add_trees_of(arithmetic);
  for (std::uint32_t i = 0; i < size.m; ++i) {
    const float* left = &a[std::uint64_t{i} * size.k];
    float* sums = &c[std::uint64_t{i} * n];
    for (std::uint32_t first = 0; first < size.k; first += length) {
      const float* right = &b[std::uint64_t{first} * n];
      if (arithmetic.kind == Arithmetic::Kind::kProductTrees) {
        add_trees(left + first, right, n, sums, n);
        continue;
      }
      std::fill(partial.begin(), partial.end(), 0.0f);
      add_fused_products(left + first, right, n, length, partial.data(), n);
      if (first == 0 && !adds) std::copy(partial.begin(), partial.end(), sums);
      else add(partial.data(), sums, n);
      if (arithmetic.kept != Element::kFp32)
        numeric::round_all(arithmetic.kept, numeric::Overflow::kSpecial, sums, n);
    }
  }
  if (arithmetic.result != Element::kFp32)
    numeric::round_all(arithmetic.result, numeric::Overflow::kSpecial, c.data(), c.size());
  return c;
}

std::vector<std::int32_t> exact_integers(const GemmSize& size, const std::vector<float>& a,
                                         const std::vector<float>& b) {
  const auto integers = [](const std::vector<float>& numbers) {
    std::vector<std::int32_t> result(numbers.size());
    std::transform(numbers.begin(), numbers.end(), result.begin(),
                   [](float number) { return static_cast<std::int32_t>(number); });
    return result;
  };
  const std::vector<std::int32_t> left = integers(a), right = integers(b);
  std::vector<std::uint32_t> sums(std::uint64_t{size.m} * size.n);
  for (std::uint64_t i = 0; i < size.m; ++i)
    for (std::uint64_t k = 0; k < size.k; ++k)
      for (std::uint64_t j = 0; j < size.n; ++j)
        sums[i * size.n + j] += static_cast<std::uint32_t>(left[i * size.k + k] * right[k * size.n + j]);
  return {sums.begin(), sums.end()};
}

std::string text(const Arithmetic& arithmetic) {
  const bool half = arithmetic.element == Element::kFp16;
  switch (arithmetic.kind) {
    case Arithmetic::Kind::kFusedSteps: {
      std::vector<const numeric::SiliconRule*> rules;
      const std::string like = numeric::adds_like(
          arithmetic.rule, numeric::operand_info(arithmetic.element, arithmetic.scale).key, &rules);
      const bool uncertain =
          std::any_of(rules.begin(), rules.end(), [](const auto* rule) { return rule->is_uncertain(); });
      return numeric::text(arithmetic.rule) + (like.empty() ? "" : "; like " + like) +
             (uncertain ? " (UNCERTAIN)" : "");
    }
    case Arithmetic::Kind::kProductTrees:
      return fmt::format("a tree of {} products, {} rounded to {}; then C in FP32, to nearest even",
                         arithmetic.length, half ? "products and sums" : "sums", half ? "FP16" : "FP32");
    case Arithmetic::Kind::kFusedChains: break;
  }
  return fmt::format("chains of {} fused multiply-adds, each added to C in {}, to nearest even",
                     arithmetic.length, numeric::info(arithmetic.kept).key);
}

Tolerance tolerance_of(const Arithmetic& arithmetic, std::uint32_t k) {
  // Half a unit in the last place, relative, of FP32 and FP16; and of FP16's smallest values, absolute.
  constexpr double kSingle = 0x1p-24, kHalf = 0x1p-11, kTiny = 0x1p-25;
  Tolerance allowed = single_precision(k);
  if (arithmetic.kind == Arithmetic::Kind::kProductTrees && arithmetic.element == Element::kFp16) {
    // Each product is rounded once itself and once per level of its tree; every rounding counts for all
    // the magnitudes below it.
    unsigned roundings = 1;
    for (unsigned width = 1; width < arithmetic.length; width *= 2) ++roundings;
    const double grown = 1 + (roundings - 1) * 2 * kHalf;
    const auto sums = k / arithmetic.length + 1;
    allowed.magnitudes = roundings * kHalf * grown + static_cast<double>(sums) * kSingle * grown;
    allowed.absolute = 2.0 * k * kTiny;
  }
  if (arithmetic.kind == Arithmetic::Kind::kFusedSteps) {
    // A step cuts off each of its terms, and their sum, by less than a unit in the last place of the largest, which
    // grows with what is lost.
    const double steps = static_cast<double>(k) / arithmetic.length;
    const numeric::SumRule& rule = arithmetic.rule;
    double unit = rule.result == numeric::SumResult::kE8m13 ? 0x1p-13 : 2 * kSingle;
    if (rule.fraction_bits != 0) unit = std::max(unit, std::ldexp(1, -rule.fraction_bits));
    allowed.magnitudes = std::expm1(steps * std::log1p((arithmetic.length + 2) * unit));
    if (rule.floor != numeric::SumRule::kNoFloor)  // what is below the grid of the least exponent
      allowed.absolute += steps * (arithmetic.length + 1) * std::ldexp(1, rule.floor - rule.fraction_bits);
    if (rule.result == numeric::SumResult::kFp16)
      allowed.magnitudes += steps * kHalf * (1 + kHalf);  // rounded in each
  }
  if (arithmetic.kind == Arithmetic::Kind::kFusedChains && arithmetic.kept != Element::kFp32) {
    // Each sum by half a unit in the last place, of what has grown meanwhile, and of the smallest values.
    const numeric::FormatInfo& kept = numeric::info(arithmetic.kept);
    const double steps = std::ceil(static_cast<double>(k) / arithmetic.length),
                 half_unit = std::ldexp(0.5, -kept.fraction_bits), grown = steps * std::log1p(half_unit);
    allowed.magnitudes = (1 + allowed.magnitudes) * std::exp(grown) - 1;
    allowed.absolute += steps * std::exp(grown) * std::ldexp(half_unit, kept.least_exponent());
  }
  for (const Element format : {arithmetic.kept, arithmetic.result})
    allowed.largest = std::min(allowed.largest, static_cast<double>(numeric::largest(format)));
  if (arithmetic.result != Element::kFp32) {
    // Half a unit in the last place of the result's format, and of its smallest values.
    const numeric::FormatInfo& result = numeric::info(arithmetic.result);
    const double half_unit = std::ldexp(0.5, -result.fraction_bits);
    allowed.result = half_unit;
    allowed.magnitudes *= 1 + half_unit;
    allowed.absolute += std::ldexp(half_unit, result.least_exponent());
  }
  return allowed;
}

std::vector<bool> differences(const std::vector<float>& expected, const std::vector<float>& c) {
  std::vector<bool> different(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool both_nan = expected[i] != expected[i] && c[i] != c[i];
    std::uint32_t wanted = 0, found = 0;  // bits: 0 and -0 differ
    std::memcpy(&wanted, &expected[i], sizeof wanted);
    std::memcpy(&found, &c[i], sizeof found);
    different[i] = wanted != found && !both_nan;
  }
  return different;
}

}  // namespace spica::workloads
