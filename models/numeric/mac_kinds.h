// SPDX-License-Identifier: Apache-2.0
// What a multiply-accumulate costs, by the format of its operands: units that multiply several say it all the same way.
#pragma once

#include <array>
#include <string_view>

#include "models/base/area.h"
#include "models/base/block_type.h"
#include "models/numeric/format.h"

namespace spica::numeric {

/// Formats whose multiply-accumulates cost the same energy.
enum class MacKind : std::uint8_t { kFp32, kFp16, kTf32, kBf16, kFp8, kFp6, kFp4, kInt8, kInt4 };
inline constexpr unsigned kMacKinds = 9;

constexpr MacKind mac_kind(Format format) {
  switch (format) {
    case Format::kFp16: return MacKind::kFp16;
    case Format::kTf32: return MacKind::kTf32;
    case Format::kBf16: return MacKind::kBf16;
    case Format::kE4m3:
    case Format::kE5m2: return MacKind::kFp8;
    case Format::kE3m2:
    case Format::kE2m3: return MacKind::kFp6;
    case Format::kE2m1: return MacKind::kFp4;
    case Format::kInt8:
    case Format::kUint8: return MacKind::kInt8;
    case Format::kInt4:
    case Format::kUint4: return MacKind::kInt4;
    default: return MacKind::kFp32;
  }
}

/// Names of the properties of a block that are 1 for the kind it multiplies, by MacKind.
inline constexpr std::array<std::string_view, kMacKinds> kIsMacKind{
    "is_fp32", "is_fp16", "is_tf32", "is_bf16", "is_fp8", "is_fp6", "is_fp4", "is_int8", "is_int4"};
/// What is counted, by MacKind.
inline constexpr std::array<std::string_view, kMacKinds> kMacText{
    "multiply-accumulates of FP32 operands",
    "multiply-accumulates of FP16 operands into FP32",
    "multiply-accumulates of TF32 operands into FP32",
    "multiply-accumulates of BF16 operands into FP32",
    "multiply-accumulates of operands of 8 bits into FP32",
    "multiply-accumulates of operands of 6 bits into FP32",
    "multiply-accumulates of operands of 4 bits into FP32",
    "multiply-accumulates of integers of 8 bits into 32 bits",
    "multiply-accumulates of integers of 4 bits into 32 bits"};

/// Adds kIsMacKind.
void add_mac_properties(base::Properties& properties, Format operand);

/// `count` multiply-accumulates of the format. Multipliers grow with the square of the significand (wang), so that a MAC
/// is an FP32 adder and, of what one of FP16 has beside it, that part; of integers as of 8 bits, those of 4 half as large.
void add_mac_area(base::AreaTerms& area, std::string_view part, Format operand, double count);

}  // namespace spica::numeric
