// SPDX-License-Identifier: Apache-2.0
// Conversions of sw/lib/include/number_formats.h against those of the model.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "models/numeric/convert.h"
#include "testbenches/support/catch.h"

using spica::numeric::Format;

extern "C" {
unsigned sw_float_to_fp16_bits(float x);
unsigned sw_float_to_bf16_bits(float x);
unsigned sw_float_to_fp8_e4m3_bits(float x);
unsigned sw_float_to_fp8_e5m2_bits(float x);
unsigned sw_float_to_int8_bits(float x);
float sw_fp16_bits_to_float(unsigned code);
float sw_bf16_bits_to_float(unsigned code);
unsigned sw_float_to_uint8_bits(float x);
}

namespace {

/// Bits of FP32 for which the codes differ; `at` is one of them.
std::uint64_t different(Format format, unsigned (*ours)(float), std::uint32_t& at) {
  const auto differs = [&](std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    const std::uint32_t width = spica::numeric::info(format).stored_bits;
    const std::uint32_t wanted = spica::numeric::nearest(format, x, spica::numeric::Overflow::kSaturate);
    const bool wrong = ours(x) != (wanted & ((1u << width) - 1));
    if (wrong) at = bits;
    return wrong;
  };
  std::uint64_t count = 0;
  for (std::uint64_t bits = 0; bits <= 0xFFFF'FFFFu; bits += 1009)
    count += differs(static_cast<std::uint32_t>(bits));
  // Numbers with few bits, and their neighbours: all ties, ends of ranges, infinities and NaN.
  for (std::uint32_t top = 0; top <= 0xFFFFu; ++top)
    for (const std::uint32_t low : {0u, 1u, 0xFFFFu}) count += differs(top << 16 | low);
  return count;
}

}  // namespace

TEST_CASE("kernels round to narrow formats as the model does") {
  std::uint32_t at = 0;
  CHECK(different(Format::kFp16, sw_float_to_fp16_bits, at) == 0);
  CHECK(different(Format::kBf16, sw_float_to_bf16_bits, at) == 0);
  CHECK(different(Format::kE4m3, sw_float_to_fp8_e4m3_bits, at) == 0);
  CHECK(different(Format::kE5m2, sw_float_to_fp8_e5m2_bits, at) == 0);
  CHECK(different(Format::kInt8, sw_float_to_int8_bits, at) == 0);
  CHECK(different(Format::kUint8, sw_float_to_uint8_bits, at) == 0);
  CAPTURE(at);
}

TEST_CASE("kernels read numbers of 16 bits as the model does") {
  const auto same = [](float ours, float wanted) {
    return std::memcmp(&ours, &wanted, sizeof ours) == 0 || (std::isnan(ours) && std::isnan(wanted));
  };
  unsigned wrong = 0;
  for (std::uint32_t code = 0; code <= 0xFFFFu; ++code) {
    wrong += !same(sw_fp16_bits_to_float(code), spica::numeric::value_of(Format::kFp16, code));
    wrong += !same(sw_bf16_bits_to_float(code), spica::numeric::value_of(Format::kBf16, code));
  }
  CHECK(wrong == 0);
}
