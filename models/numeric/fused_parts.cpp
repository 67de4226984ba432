// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/fused_parts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/numeric/convert.h"
#include "models/numeric/fused_dot.h"

namespace spica::numeric {

namespace {

// Exponents of FP16, subnormal numbers and all.
constexpr int kLeast = -24, kMost = 15;

/// FP32 holds products of two numbers of the format.
bool has_exact_products(const FormatInfo& format) { return 2 * (format.fraction_bits + 1) <= 24; }

/// The exponent of one number; false: the quick code may not be exact with it.
bool exponent_of(const FormatInfo& format, float value, std::int32_t& exponent) {
  if (value == 0) {
    exponent = Parts::kZero * (1 << Parts::kExponentShift);
    return true;
  }
  if (!std::isfinite(value)) {
    exponent = 0;
    return false;
  }
  const int own = std::ilogb(value);
  exponent = std::max(own, format.least_exponent()) * (1 << Parts::kExponentShift);
  return own >= kLeast && own <= kMost;
}

}  // namespace

bool take_apart(Format format, const float* numbers, std::uint32_t count, float* values,
                std::int32_t* exponents) {
  const FormatInfo& kind = info(format);
  bool quick = has_exact_products(kind);
  for (std::uint32_t i = 0; i < count; ++i) {
    values[i] = numbers[i];
    if (!exponent_of(kind, values[i], exponents[i])) quick = false;
  }
  return quick;
}

bool take_apart(Format format, const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count,
                float* values, std::int32_t* exponents) {
  const FormatInfo& kind = info(format);
  const unsigned per_word = 32 / kind.stored_bits;
  bool quick = has_exact_products(kind);
  for (std::uint32_t i = 0; i < count; ++i) {
    values[i] = value_of(format, words[index[i] / per_word] >> index[i] % per_word * kind.stored_bits);
    if (!exponent_of(kind, values[i], exponents[i])) quick = false;
  }
  return quick;
}

}  // namespace spica::numeric
