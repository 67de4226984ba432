// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::numeric {

/// Number formats of tensor units.
enum class Format : std::uint8_t {
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kE4m3,
  kE5m2,
  kE3m2,
  kE2m3,
  kE2m1,
  kInt32,
  kInt8,
  kUint8,
  kInt4,
  kUint4
};

/// Formats whose multiply-accumulates have the same energy (mac_kinds.h).
enum class MacKind : std::uint8_t { kFp32, kFp16, kTf32, kBf16, kFp8, kFp6, kFp4, kInt8, kInt4 };

/// The meaning of the largest exponent of a floating-point format.
enum class Specials : std::uint8_t {
  kIeee,    // infinities and NaN
  kOneNan,  // numbers, except NaN if all bits below the sign are one
  kNone,    // numbers
};

/// The complete description of a format; no fact of a format is stated elsewhere. fp32, fp16: IEEE 754-2019, 3.4. bf16:
/// FP32 without the low half of its bits. tf32: FP32 with the 10 fraction bits of FP16, in a word whose other 13 bits
/// are ignored (ptx mma). fp8: ofp8 5. fp6, fp4: mx 5.3.
struct FormatInfo {
  const char* name;  // as used in mnemonics
  const char* key;  // as used in configurations and options
  std::uint8_t bits;
  std::uint8_t stored_bits;  // bits of an element in memory
  MacKind mac;
  bool is_float, is_signed;
  std::uint8_t exponent_bits = 0, fraction_bits = 0;
  std::int16_t bias = 0;
  Specials specials = Specials::kNone;

  /// Exponent of the smallest normal number and of all subnormal numbers.
  constexpr int least_exponent() const { return 1 - bias; }
  constexpr int most_exponent() const {
    return (1 << exponent_bits) - (specials == Specials::kIeee ? 2 : 1) - bias;
  }
};

inline constexpr FormatInfo kFormats[] = {
    {"f32", "fp32", 32, 32, MacKind::kFp32, true, true, 8, 23, 127, Specials::kIeee},
    {"tf32", "tf32", 19, 32, MacKind::kTf32, true, true, 8, 10, 127, Specials::kIeee},
    {"bf16", "bf16", 16, 16, MacKind::kBf16, true, true, 8, 7, 127, Specials::kIeee},
    {"f16", "fp16", 16, 16, MacKind::kFp16, true, true, 5, 10, 15, Specials::kIeee},
    {"e4m3", "fp8_e4m3", 8, 8, MacKind::kFp8, true, true, 4, 3, 7, Specials::kOneNan},
    {"e5m2", "fp8_e5m2", 8, 8, MacKind::kFp8, true, true, 5, 2, 15, Specials::kIeee},
    {"e3m2", "fp6_e3m2", 6, 8, MacKind::kFp6, true, true, 3, 2, 3, Specials::kNone},
    {"e2m3", "fp6_e2m3", 6, 8, MacKind::kFp6, true, true, 2, 3, 1, Specials::kNone},
    {"e2m1", "fp4_e2m1", 4, 4, MacKind::kFp4, true, true, 2, 1, 1, Specials::kNone},
    {"s32", "int32", 32, 32, MacKind::kFp32, false, true},
    {"s8", "int8", 8, 8, MacKind::kInt8, false, true},
    {"u8", "uint8", 8, 8, MacKind::kInt8, false, false},
    {"s4", "int4", 4, 4, MacKind::kInt4, false, true},
    {"u4", "uint4", 4, 4, MacKind::kInt4, false, false}};

constexpr const FormatInfo& info(Format format) { return kFormats[static_cast<unsigned>(format)]; }
constexpr unsigned bits(Format format) { return info(format).bits; }

/// Element `index` of contiguous numbers from bit 0 on, sign-extended to 32 bits. Integers only.
constexpr std::int32_t integer_at(const std::uint32_t* words, unsigned index, Format format) {
  const unsigned width = bits(format), at = index * width;
  const std::uint32_t word = words[at / 32] << (32 - width - at % 32);
  return info(format).is_signed ? static_cast<std::int32_t>(word) >> (32 - width)
                                : static_cast<std::int32_t>(word >> (32 - width));
}

}  // namespace spica::numeric
