// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/fused_dot.h"

#include <algorithm>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/numeric/product_sum.h"

namespace spica::numeric {

#define SPICA_HOST_VERSION(name)                                                                             \
  namespace name {                                                                                           \
  void add_fused_dot(const SumRule& rule, const FusedDot& dot);                                              \
  bool take_apart(const std::uint16_t* halves, std::uint32_t count, float* values, std::int32_t* exponents); \
  bool take_apart(const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count,               \
                  float* values, std::int32_t* exponents);                                                   \
  void gather(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,                    \
              std::uint32_t* to);                                                                            \
  void gather_halves(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,             \
                     std::uint32_t* to);                                                                     \
  void round_to_halves(const float* values, std::uint32_t count, std::uint16_t* halves);                     \
  }
SPICA_HOST_VERSION(baseline)
SPICA_HOST_VERSION(avx2)
#undef SPICA_HOST_VERSION

bool has_quick_code(const SumRule& rule) {
  if (rule.is_tree()) return rule.step_products <= 8 && !rule.flushes && rule.result != SumResult::kE8m13;
  const bool is_half = rule.result == SumResult::kFp16;
  // A product has a magnitude below 2^(E + 2): that number of them fits into the 31 bits of a magnitude.
  const unsigned bits = rule.fraction_bits, most_products = bits <= 29 ? 1u << (29 - bits) : 0;
  const unsigned most_bits = rule.step_products <= 8 ? 25 : rule.result == SumResult::kE8m13 ? 22 : 25;
  const int most_floor = is_half ? 15 : kLeastQuickExponent;
  return rule.adder == Adder::kAligned && rule.align == Rounding::kZero && rule.c_after_products == 0 &&
         rule.round == (is_half ? Rounding::kNearest : Rounding::kZero) && rule.floor <= most_floor &&
         bits >= 1 && bits <= most_bits && rule.step_products <= std::min(most_products, 32u);
}

void add_fused_dot_slowly(const SumRule& rule, const FusedDot& dot, std::uint32_t row, std::uint32_t column) {
  constexpr std::uint32_t kColumns = 8;
  const ProductSum sum(rule);
  const std::uint32_t terms = dot.terms;
  std::vector<Number> numbers(terms * (1 + kColumns));
  Number* const a = numbers.data();
  for (std::uint32_t t = 0; t < terms; ++t) {
    const auto number = [](const Parts& parts, std::uint32_t at) {
      return number_of(parts.value[at], parts.exponent[at] >> Parts::kExponentShift);
    };
    a[t] = number(dot.a, row * dot.a.stride + t);
    for (std::uint32_t j = 0; j < kColumns; ++j)
      numbers[terms * (1 + j) + t] = number(dot.b, t * dot.b.stride + column + j);
  }
  for (std::uint32_t j = 0; j < kColumns; ++j) {
    std::uint32_t& word = dot.c[row * dot.c_stride + column + j];
    word = sum(a, &numbers[terms * (1 + j)], terms, word);
  }
}

bool take_apart(const std::uint16_t* halves, std::uint32_t count, float* values, std::int32_t* exponents) {
  using Version = bool (*)(const std::uint16_t*, std::uint32_t, float*, std::int32_t*);
  return base::host_version<Version>(&baseline::take_apart, &avx2::take_apart)(halves, count, values,
                                                                               exponents);
}

bool take_apart(const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count, float* values,
                std::int32_t* exponents) {
  using Version = bool (*)(const std::uint32_t*, const std::uint32_t*, std::uint32_t, float*, std::int32_t*);
  return base::host_version<Version>(&baseline::take_apart, &avx2::take_apart)(words, index, count, values,
                                                                               exponents);
}

void gather(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count, std::uint32_t* to) {
  base::host_version(&baseline::gather, &avx2::gather)(from, index, count, to);
}

void gather_halves(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,
                   std::uint32_t* to) {
  base::host_version(&baseline::gather_halves, &avx2::gather_halves)(from, index, count, to);
}

void round_to_halves(const float* values, std::uint32_t count, std::uint16_t* halves) {
  base::host_version(&baseline::round_to_halves, &avx2::round_to_halves)(values, count, halves);
}

void add_fused_dot(const SumRule& rule, const FusedDot& dot, base::HostCode code) {
  if (has_quick_code(rule)) {
    base::host_version(&baseline::add_fused_dot, &avx2::add_fused_dot, code)(rule, dot);
    return;
  }
  for (std::uint32_t row = 0; row < dot.rows; ++row)
    for (std::uint32_t column = 0; column < 8 * dot.vectors; column += 8)
      add_fused_dot_slowly(rule, dot, row, column);
}
void add_fused_dot(const SumRule& rule, const FusedDot& dot) { add_fused_dot(rule, dot, base::host_code()); }

}  // namespace spica::numeric
