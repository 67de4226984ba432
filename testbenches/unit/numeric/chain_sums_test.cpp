// SPDX-License-Identifier: Apache-2.0
// Chains of FP64, and integers, against integers of any length. SPICA_SUMS: dot products of each rule.
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/numeric/draws.h"

using namespace spica::numeric;

namespace {

using Integer = boost::multiprecision::cpp_int;

double number(std::uint64_t word) {
  double value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
std::uint64_t word_of(double value) {
  std::uint64_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

/// A finite FP64 number, times 2^1074.
Integer multiple(std::uint64_t word) {
  const auto field = static_cast<unsigned>(word >> 52 & 0x7FF);
  Integer value = word & ((std::uint64_t{1} << 52) - 1);
  if (field != 0) value += std::uint64_t{1} << 52;
  value <<= std::max(field, 1u) - 1;
  return word >> 63 != 0 ? Integer(-value) : value;
}

/// value * 2^-2148, to nearest even; `zero`: the word of an exact zero.
std::uint64_t rounded(const Integer& value, std::uint64_t zero) {
  if (value == 0) return zero;
  const std::uint64_t sign = value < 0 ? std::uint64_t{1} << 63 : 0;
  const Integer magnitude = abs(value);
  const int top = static_cast<int>(msb(magnitude)) - 2148;
  const int unit = std::max(top, -1022) - 52;  // power of two of the last place
  const Integer one = Integer(1) << (unit + 2148), rest = magnitude % one;
  auto count = static_cast<std::uint64_t>(magnitude / one);
  if (rest * 2 > one || (rest * 2 == one && count % 2 != 0)) ++count;
  // A carry out of the fraction raises the exponent by itself.
  const auto field = static_cast<unsigned>(unit + 52 + 1022);
  const std::uint64_t word = (std::uint64_t{field} << 52) + count;
  return sign | std::min(word, std::uint64_t{0x7FF} << 52);
}

std::uint64_t chain(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                    std::uint64_t c) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_negative = (a[i] ^ b[i]) >> 63 != 0, c_is_negative = c >> 63 != 0;
    const Integer product = multiple(a[i]) * multiple(b[i]);
    const bool both = is_negative && c_is_negative && product == 0 && multiple(c) == 0;  // -0 + -0
    if ((c >> 52 & 0x7FF) == 0x7FF) continue;  // an infinity remains
    c = rounded(product + (multiple(c) << 1074), both ? std::uint64_t{1} << 63 : 0);
  }
  return c;
}

}  // namespace

TEST_CASE("FP64 is a chain of fused multiply-adds: an exact product and sum, rounded once, for each k") {
  std::mt19937_64 random(522);
  for (const char* const silicon : {"ampere", "hopper_mma", "cdna2", "cdna3"}) {
    const Mma mma(silicon, "fp64", "fp64");
    std::vector<std::uint64_t> a(16), b(16);
    for (unsigned i = 0; i < spica::testbench::draws(3'000) / 4 + 1; ++i) {
      const unsigned kind = random() % 4;  // near 1, wide, tiny products, large sums
      const auto drawn = [&] {
        const std::uint64_t bits = random(), least = kind == 0   ? 1018
                                                     : kind == 1 ? 700
                                                     : kind == 2 ? 480
                                                                 : 1500;
        const std::uint64_t spread = kind == 0 ? 8 : kind == 1 ? 600 : 60;
        if (bits % 16 == 0) return bits & std::uint64_t{1} << 63;
        return (bits & ~(std::uint64_t{0x7FF} << 52)) | (least + bits / 16 % spread) << 52;
      };
      std::generate(a.begin(), a.end(), drawn);
      std::generate(b.begin(), b.end(), drawn);
      std::uint64_t c = drawn();
      if (kind == 2) c &= ~(std::uint64_t{0x7FE} << 52);  // the least numbers
      std::uint64_t found = 0;
      mma(a.data(), b.data(), &c, &found, 1, 1, 16);
      CAPTURE(silicon, i, kind, number(found), number(c));
      REQUIRE(found == chain(a, b, c));
    }
    const std::vector<std::uint64_t> inf(4, word_of(HUGE_VAL)), zero(4, 0);
    const std::uint64_t none = 0;
    std::uint64_t found = 0;
    mma(inf.data(), zero.data(), &none, &found, 1, 1, 4);
    CHECK(found == 0x7FF8'0000'0000'0000);
  }
}

TEST_CASE("integers are exact, and wrap or saturate in 32 bits") {
  std::mt19937 random(523);
  struct Case {
    const char *instruction, *a, *b;
    unsigned bits;
  };
  for (const Case& one : {Case{"mma.m16n8k32.s32.s8.s8.s32", "s8", "s8", 8},
                          {"mma.s32.u8.u8", "u8", "u8", 8},
                          {"mma.s32.s8.u8", "s8", "u8", 8},
                          {"mma.s32.u8.s8.satfinite", "u8", "s8", 8},
                          {"mma.s32.s8.s8.satfinite", "s8", "s8", 8},
                          {"mma.s32.s4.s4", "s4", "s4", 4},
                          {"mma.s32.u4.s4", "u4", "s4", 4},
                          {"mma.s32.u4.u4.satfinite", "u4", "u4", 4}}) {
    const Mma mma("ampere", one.instruction);
    const bool saturates = std::string_view(one.instruction).find("satfinite") != std::string_view::npos;
    const auto value = [&one](const char* type, std::uint32_t word) {
      const int all = 1 << one.bits, code = static_cast<int>(word) & (all - 1);
      return type[0] == 's' && code >= all / 2 ? code - all : code;
    };
    constexpr unsigned kDepth = 64;
    std::vector<std::uint32_t> a(kDepth), b(kDepth);
    for (unsigned i = 0; i < spica::testbench::draws(3'000); ++i) {
      const auto drawn = [&] { return static_cast<std::uint32_t>(random()) & ((1u << one.bits) - 1); };
      std::generate(a.begin(), a.end(), drawn);
      std::generate(b.begin(), b.end(), drawn);
      auto c = static_cast<std::uint32_t>(random());
      if (i % 3 == 0) c = 0x7FFF'FFFF - c % 4096;
      if (i % 3 == 1) c = 0x8000'0000 + c % 4096;
      Integer sum = static_cast<std::int32_t>(c);
      for (unsigned k = 0; k < kDepth; ++k) sum += value(one.a, a[k]) * value(one.b, b[k]);
      const Integer most = Integer(1) << 31;
      if (saturates) sum = std::clamp<Integer>(sum, -most, most - 1);
      const auto wanted = static_cast<std::uint32_t>((sum + 4 * most) % (2 * most));
      std::uint32_t found = 0;
      mma(a.data(), b.data(), &c, &found, 1, 1, kDepth);
      CAPTURE(one.instruction, i, c);
      REQUIRE(found == wanted);
    }
  }
}
