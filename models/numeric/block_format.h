// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/numeric/convert.h"

namespace spica::numeric {

/// Scales that blocks of operands share: E8M0, a power of two (mx 5.4.1: code c means 2^(c - 127), 255 NaN), or UE4M3,
/// E4M3 whose sign is unused (ptx 9.7.14).
enum class ScaleFormat : std::uint8_t { kNone, kE8m0, kUe4m3 };

/// Formats in which a block of numbers shares a scale: MX (mx 5, 6), and NVFP4 without the scale of a whole tensor.
enum class BlockFormat : std::uint8_t {
  kMxFp8E4m3,
  kMxFp8E5m2,
  kMxFp6E3m2,
  kMxFp6E2m3,
  kMxFp4E2m1,
  kMxInt8,
  kNvFp4
};

struct BlockFormatInfo {
  const char* key;
  Format element;
  int unit = 0;  // an element of 1 means 2^unit; MXINT8: 2^-6 (mx 5.3.4)
  std::uint16_t block = 32;  // numbers per block (mx 5.2, table 1)
  ScaleFormat scale = ScaleFormat::kE8m0;

  /// Exponent of the largest power of two among the elements.
  constexpr int most_exponent() const {
    const FormatInfo& f = info(element);
    return f.is_float ? f.most_exponent() : f.bits - 2 + unit;
  }
};

/// Rule that derives the scale of a block from its largest magnitude.
enum class BlockScale : std::uint8_t {
  /// E8M0: the largest power of two not above the magnitude, divided by that of the element format (mx 6.3). UE4M3: the
  /// magnitude divided by the largest element, rounded to nearest even. Values beyond the largest element saturate.
  kFloor,
  /// The smallest scale for which no element saturates (torchao "rceil", transformer-engine).
  kRceil
};

inline constexpr BlockFormatInfo kBlockFormats[] = {{"mxfp8_e4m3", Format::kE4m3},
                                                    {"mxfp8_e5m2", Format::kE5m2},
                                                    {"mxfp6_e3m2", Format::kE3m2},
                                                    {"mxfp6_e2m3", Format::kE2m3},
                                                    {"mxfp4_e2m1", Format::kE2m1},
                                                    {"mxint8", Format::kInt8, -6},
                                                    {"nvfp4", Format::kE2m1, 0, 16, ScaleFormat::kUe4m3}};

constexpr const BlockFormatInfo& info(BlockFormat format) {
  return kBlockFormats[static_cast<unsigned>(format)];
}

inline constexpr std::uint8_t kScaleNan = 255;  // of E8M0
inline constexpr int kScaleBias = 127;
constexpr std::uint8_t nan_of(ScaleFormat scales) { return scales == ScaleFormat::kUe4m3 ? 0x7F : kScaleNan; }
float scale_value(ScaleFormat scales, std::uint8_t scale);

/// The scale of a block of `count` numbers, limited to the range of its format; the smallest for a block of zeros. NaN
/// for a block with NaN or an infinity, which mx leaves open.
std::uint8_t scale_of(BlockFormat format, const float* values, unsigned count,
                      BlockScale rule = BlockScale::kFloor);
/// The codes of the elements, one per word: numbers divided by the scale, rounded to nearest even; values beyond the
/// largest element saturate (mx 6.3). With a scale of NaN or 0 they are 0.
void encode_block(BlockFormat format, std::uint8_t scale, const float* values, unsigned count,
                  std::uint32_t* codes);
/// The value of an element with its scale. In double precision, because FP32 cannot hold all values.
double block_value(BlockFormat format, std::uint8_t scale, std::uint32_t code);

}  // namespace spica::numeric
