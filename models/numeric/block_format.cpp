// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/block_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spica::numeric {

float scale_value(std::uint8_t scale) {
  if (scale == kScaleNan) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, scale - kScaleBias);
}

std::uint8_t scale_of(BlockFormat format, const float* values, unsigned count, BlockScale rule) {
  float most = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return kScaleNan;
    most = std::max(most, std::fabs(values[i]));
  }
  if (most == 0) return 0;
  const BlockFormatInfo& f = info(format);
  int exponent = std::ilogb(most) - f.most_exponent();
  if (rule == BlockScale::kRceil &&
      static_cast<double>(most) > std::ldexp(static_cast<double>(largest(f.element)), f.unit + exponent))
    ++exponent;
  return static_cast<std::uint8_t>(std::clamp(exponent, -kScaleBias, kScaleBias) + kScaleBias);
}

void encode_block(BlockFormat format, std::uint8_t scale, const float* values, unsigned count,
                  std::uint32_t* codes) {
  const BlockFormatInfo& f = info(format);
  for (unsigned i = 0; i < count; ++i) {
    // What leaves the range of FP32 here rounds to zero, or lies beyond the largest element by far.
    const double scaled = std::ldexp(static_cast<double>(values[i]), kScaleBias - scale - f.unit);
    codes[i] = scale == kScaleNan ? 0 : nearest(f.element, static_cast<float>(scaled), Overflow::kSaturate);
  }
}

double block_value(BlockFormat format, std::uint8_t scale, std::uint32_t code) {
  const BlockFormatInfo& f = info(format);
  return std::ldexp(static_cast<double>(value_of(f.element, code)), f.unit) *
         static_cast<double>(scale_value(scale));
}

}  // namespace spica::numeric
