// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/block_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spica::numeric {

namespace {

std::uint8_t e8m0_scale(const BlockFormatInfo& f, float most, BlockScale rule) {
  int exponent = std::ilogb(most) - f.most_exponent();
  if (rule == BlockScale::kRceil &&
      static_cast<double>(most) > std::ldexp(static_cast<double>(largest(f.element)), f.unit + exponent))
    ++exponent;
  return static_cast<std::uint8_t>(std::clamp(exponent, -kScaleBias, kScaleBias) + kScaleBias);
}

std::uint8_t ue4m3_scale(const BlockFormatInfo& f, float most, BlockScale rule) {
  const auto element = static_cast<double>(largest(f.element));
  const std::uint32_t code =
      nearest(Format::kE4m3, static_cast<float>(static_cast<double>(most) / element), Overflow::kSaturate);
  const bool saturates =
      static_cast<double>(most) > element * static_cast<double>(value_of(Format::kE4m3, code));
  const bool is_largest = code + 1u == nan_of(ScaleFormat::kUe4m3);
  return static_cast<std::uint8_t>(code + (rule == BlockScale::kRceil && saturates && !is_largest ? 1 : 0));
}

}  // namespace

float scale_value(ScaleFormat scales, std::uint8_t scale) {
  if (scales == ScaleFormat::kUe4m3) return value_of(Format::kE4m3, scale & 0x7F);
  if (scale == kScaleNan) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, scale - kScaleBias);
}

std::uint8_t scale_of(BlockFormat format, const float* values, unsigned count, BlockScale rule) {
  const BlockFormatInfo& f = info(format);
  float most = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return nan_of(f.scale);
    most = std::max(most, std::fabs(values[i]));
  }
  if (most == 0) return 0;
  return f.scale == ScaleFormat::kUe4m3 ? ue4m3_scale(f, most, rule) : e8m0_scale(f, most, rule);
}

void encode_block(BlockFormat format, std::uint8_t scale, const float* values, unsigned count,
                  std::uint32_t* codes) {
  const BlockFormatInfo& f = info(format);
  const auto of_one = std::ldexp(static_cast<double>(scale_value(f.scale, scale)), f.unit);
  for (unsigned i = 0; i < count; ++i) {
    // What leaves the range of FP32 here rounds to zero, or lies beyond the largest element by far.
    const double scaled = static_cast<double>(values[i]) / of_one;
    codes[i] = std::isnan(of_one) || of_one == 0
                   ? 0
                   : nearest(f.element, static_cast<float>(scaled), Overflow::kSaturate);
  }
}

double block_value(BlockFormat format, std::uint8_t scale, std::uint32_t code) {
  const BlockFormatInfo& f = info(format);
  return std::ldexp(static_cast<double>(value_of(f.element, code)), f.unit) *
         static_cast<double>(scale_value(f.scale, scale));
}

}  // namespace spica::numeric
