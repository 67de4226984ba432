// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::numeric {

/// Number formats of tensor units.
enum class Format : std::uint8_t { kFp32, kFp16, kInt32, kInt8, kUint8, kInt4, kUint4 };

struct FormatInfo {
  const char* name;  // as in options and mnemonics
  std::uint8_t bits;
  bool is_float, is_signed;
};

inline constexpr FormatInfo kFormats[] = {
    {"f32", 32, true, true}, {"f16", 16, true, true}, {"s32", 32, false, true}, {"s8", 8, false, true},
    {"u8", 8, false, false}, {"s4", 4, false, true},  {"u4", 4, false, false}};

constexpr const FormatInfo& info(Format format) { return kFormats[static_cast<unsigned>(format)]; }
constexpr unsigned bits(Format format) { return info(format).bits; }

/// Element `index` of numbers that lie one behind the other from bit 0 on, extended to 32 bits. Integers only.
constexpr std::int32_t integer_at(const std::uint32_t* words, unsigned index, Format format) {
  const unsigned width = bits(format), at = index * width;
  const std::uint32_t word = words[at / 32] << (32 - width - at % 32);
  return info(format).is_signed ? static_cast<std::int32_t>(word) >> (32 - width)
                                : static_cast<std::int32_t>(word >> (32 - width));
}

}  // namespace spica::numeric
