// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/convert.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/numeric/half.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_formats.h"
#include "testbenches/support/samples.h"

using namespace spica;
using namespace spica::numeric;
using exact::bits_of;
using exact::float_of;
using exact::Numbers;
using exact::Printed;

namespace {

/// Code `index` in what encode() made.
std::uint32_t code_at(Format format, const std::vector<unsigned char>& bytes, std::size_t index) {
  const unsigned bits = info(format).stored_bits;
  if (bits == 4) return bytes[index / 2] >> (index % 2 * 4) & 15;
  std::uint32_t code = 0;
  std::memcpy(&code, &bytes[index * bits / 8], bits / 8);
  return code;
}

/// Random numbers for each format; SPICA_CONVERSIONS=10000000 makes it ten million.
unsigned random_count() {
  const char* const count = std::getenv("SPICA_CONVERSIONS");
  return count != nullptr ? static_cast<unsigned>(std::strtoul(count, nullptr, 10))
                          : testbench::samples(100'000);
}

/// Numbers of FP32 that are hard to round: all of 16 bits, and any others.
std::vector<float> sources(const Numbers& numbers, unsigned seed) {
  std::vector<float> all;
  for (std::uint32_t code = 0; code < 0x1'0000; ++code) {
    all.push_back(float_of(code << 16));  // bf16
    all.push_back(float_from_half(static_cast<std::uint16_t>(code)));
  }
  for (const double middle : numbers.middles()) {
    const auto value = static_cast<float>(middle);
    for (const float one : {value, std::nextafter(value, 0.0f), std::nextafter(value, HUGE_VALF)}) {
      all.push_back(one);
      all.push_back(-one);
    }
  }
  std::mt19937 random(seed);
  for (unsigned i = 0; i < random_count() / 7 * 5; ++i)
    all.push_back(float_of(static_cast<std::uint32_t>(random())));
  // More of those near the range of the format.
  const double largest = numbers.values().back();
  for (unsigned i = 0; i < random_count() / 7 * 2; ++i) {
    const double at = std::ldexp(1 + std::ldexp(static_cast<double>(random()), -32),
                                 std::ilogb(largest) + 1 - static_cast<int>(random() % 40));
    all.push_back(static_cast<float>(random() % 2 != 0 ? at : -at));
  }
  return all;
}

/// The codes that numbers must have.
std::vector<std::uint32_t> exact_codes(const Printed& printed, const std::vector<float>& values,
                                       Overflow overflow) {
  const Numbers numbers(printed);
  std::vector<std::uint32_t> codes;
  for (const float value : values)
    codes.push_back(numbers.nearest(static_cast<double>(value), overflow == Overflow::kSaturate));
  return codes;
}

/// Codes that differ from them, in memory and rounded in place.
unsigned wrong_codes(Format format, const std::vector<float>& values, const std::vector<std::uint32_t>& codes,
                     Overflow overflow, base::HostCode code) {
  std::vector<unsigned char> bytes(stored_bytes(format, values.size()));
  encode(format, overflow, values.data(), values.size(), bytes.data(), code);
  std::vector<float> rounded = values, back(values.size());
  round_all(format, overflow, rounded.data(), rounded.size(), code);
  decode(format, bytes.data(), values.size(), back.data(), code);
  unsigned wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wrong += code_at(format, bytes, i) != codes[i];
    wrong += bits_of(rounded[i]) != bits_of(back[i]);
    if (i % 1000 == 0) wrong += nearest(format, values[i], overflow) != codes[i];
  }
  return wrong;
}

}  // namespace

TEST_CASE("each code of a format means the number that its specification prints") {
  for (const Printed& printed : exact::kPrinted) {
    INFO(info(printed.format).key);
    const Numbers numbers(printed);
    CHECK(info(printed.format).bits == 1 + printed.exponent_bits + printed.fraction_bits);
    unsigned wrong = 0;
    for (std::uint32_t code = 0; code < numbers.sign(); ++code) {
      const float plus = value_of(printed.format, code),
                  minus = value_of(printed.format, code | numbers.sign());
      if (code <= numbers.largest()) {
        wrong += plus != numbers.values()[code] || std::signbit(plus);
        wrong += bits_of(minus) != (bits_of(plus) | 0x8000'0000);
      } else if (printed.infinities && code == numbers.infinity()) {
        wrong += plus != HUGE_VALF || minus != -HUGE_VALF;
      } else {
        wrong += bits_of(plus) != 0x7FC0'0000 || bits_of(minus) != 0x7FC0'0000;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("numbers become the nearest of a format, of two the even one, on every kind of host") {
  unsigned seed = 0;
  for (const Printed& printed : exact::kPrinted) {
    const std::vector<float> values = sources(Numbers(printed), ++seed);
    for (const Overflow overflow : {Overflow::kSpecial, Overflow::kSaturate}) {
      const std::vector<std::uint32_t> codes = exact_codes(printed, values, overflow);
      for (const base::HostCode code : {base::HostCode::kBaseline, base::HostCode::kAvx2}) {
        if (!base::host_runs(code)) continue;
        INFO(info(printed.format).key << (overflow == Overflow::kSaturate ? " saturates" : ""));
        CHECK(wrong_codes(printed.format, values, codes, overflow, code) == 0);
      }
    }
  }
}

TEST_CASE("tf32 keeps ten bits of the fraction, and does not read the others") {
  std::mt19937 random(3);
  unsigned wrong = 0;
  for (unsigned i = 0; i < testbench::samples(1'000'000); ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const float value = float_of(bits), cut = value_of(Format::kTf32, bits);
    if (std::isnan(value)) {
      wrong += nearest(Format::kTf32, value) != 0x7FC0'0000;
      continue;
    }
    wrong += bits_of(cut) != (bits & 0xFFFF'E000);
    // Its neighbours on the grid: exact in double precision, but for what lies behind the largest number.
    const float low = float_of(bits & 0x7FFF'E000);
    const double step = std::ldexp(1.0, std::max(std::ilogb(low == 0 ? 0x1p-126f : low), -126) - 10);
    const double rest = std::fabs(static_cast<double>(value)) - low;
    if (std::isinf(value)) continue;
    const bool odd = (bits >> 13 & 1) != 0, up = rest > step / 2 || (rest == step / 2 && odd);
    const double must = low + (up ? step : 0);
    const float is = float_of(nearest(Format::kTf32, value) & 0x7FFF'FFFF);
    wrong += must >= 0x1p128 ? !std::isinf(is) : is != must;
  }
  CHECK(wrong == 0);
  CHECK(nearest(Format::kTf32, HUGE_VALF, Overflow::kSaturate) == 0x7F7F'E000);
  CHECK(nearest(Format::kFp32, 0x1.000002p0f) == 0x3F80'0001);
}

TEST_CASE("integers are rounded to even and saturate, NaN becomes 0") {
  for (const Format format : {Format::kInt8, Format::kUint8, Format::kInt4, Format::kUint4}) {
    const FormatInfo& f = info(format);
    const int most = (1 << (f.bits - f.is_signed)) - 1, least = f.is_signed ? -most - 1 : 0;
    INFO(f.key);
    unsigned wrong = 0;
    for (int quarters = -1200; quarters <= 1200; ++quarters) {
      const int up = quarters - (quarters & 3), down = quarters & 3;  // in quarters
      int must = up / 4 + (down == 3 || (down == 2 && (up / 4 & 1) != 0) ? 1 : 0);
      must = std::min(std::max(must, least), most);
      const std::uint32_t code = nearest(format, static_cast<float>(quarters) / 4);
      wrong += code != (static_cast<std::uint32_t>(must) & ((1u << f.bits) - 1));
      wrong += value_of(format, code) != static_cast<float>(must);
    }
    CHECK(wrong == 0);
    CHECK(nearest(format, std::nanf("")) == 0);
    CHECK(value_of(format, nearest(format, HUGE_VALF)) == static_cast<float>(most));
    CHECK(value_of(format, nearest(format, -HUGE_VALF)) == static_cast<float>(least));
  }
}

TEST_CASE("two numbers of four bits share a byte, the first in its low half") {
  const float values[] = {0.5f, -6.0f, 1.0f};
  std::vector<unsigned char> bytes(stored_bytes(Format::kE2m1, 3), 0xFF);
  REQUIRE(bytes.size() == 2);
  encode(Format::kE2m1, Overflow::kSpecial, values, 3, bytes.data());
  CHECK(bytes == std::vector<unsigned char>{0xF1, 0x02});
  float back[3];
  decode(Format::kE2m1, bytes.data(), 3, back);
  CHECK(std::equal(values, values + 3, back));
}

TEST_CASE("formats are found by the words of configurations") {
  for (const FormatInfo& f : kFormats) CHECK(&info(*format_of_key(f.key)) == &f);
  CHECK(!format_of_key("fp8"));
}

TEST_CASE("stochastic rounding goes up when the random number and the distance make a step") {
  std::mt19937 random(5);
  for (const Printed& printed : exact::kPrinted) {
    const Numbers numbers(printed);
    INFO(info(printed.format).key);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
      const auto number = static_cast<std::uint32_t>(random());
      const double wide = std::ldexp(static_cast<double>(random()), -32) *
                          std::ldexp(printed.largest, -static_cast<int>(random() % 24));
      const auto value = static_cast<float>(i % 2 != 0 ? wide : -wide);
      const double magnitude = std::fabs(static_cast<double>(value));
      const auto above = std::upper_bound(numbers.values().begin(), numbers.values().end(), magnitude);
      if (above == numbers.values().end()) continue;
      const exact::Rational low = exact::of_double(*(above - 1)), high = exact::of_double(*above);
      const exact::Rational part =
          (exact::of_double(magnitude) - low) / (high - low) * exact::power_of_two(32);
      const bool up = numerator(part) / denominator(part) + number >= (std::uint64_t{1} << 32);
      const auto code = static_cast<std::uint32_t>(above - numbers.values().begin()) - (up ? 0 : 1);
      wrong +=
          stochastic(printed.format, value, number) != (code | (std::signbit(value) ? numbers.sign() : 0));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("stochastic rounding keeps the mean, and a seed its codes") {
  StochasticRounding first(7), again(7), other(8);
  const float value = 1.03f;  // of the steps of an eighth behind 1 a quarter
  double sum = 0;
  constexpr unsigned kTimes = 200'000;
  unsigned different = 0;
  for (unsigned i = 0; i < kTimes; ++i) {
    const std::uint32_t code = first(Format::kE4m3, value);
    REQUIRE(code == again(Format::kE4m3, value));
    different += code != other(Format::kE4m3, value);
    sum += static_cast<double>(value_of(Format::kE4m3, code));
  }
  CHECK(different > 0);
  // Five standard deviations of a mean of numbers that are an eighth apart.
  CHECK(std::fabs(sum / kTimes - static_cast<double>(value)) < 5 * 0.125 / 2 / std::sqrt(kTimes));
  CHECK(stochastic(Format::kE4m3, 460, 0xFFFF'FFFF) == 0x7F);
  CHECK(stochastic(Format::kE4m3, 460, 0xFFFF'FFFF, Overflow::kSaturate) == 0x7E);
  CHECK(stochastic(Format::kE5m2, HUGE_VALF, 1) == 0x7C);
  CHECK(stochastic(Format::kInt8, -1.5f, 0x8000'0000) == 0xFE);
  CHECK(stochastic(Format::kInt8, -1.5f, 0x7FFF'FFFF) == 0xFF);
}

TEST_CASE("numbers become those of another format one by one, with one rounding behind the scale") {
  constexpr std::size_t kCount = 1000;  // more than are converted at a time
  std::mt19937 random(5);
  for (const auto& [from, to] : {std::pair{Format::kInt4, Format::kFp16},
                                 {Format::kFp32, Format::kE4m3},
                                 {Format::kE5m2, Format::kInt8},
                                 {Format::kFp16, Format::kE2m1}}) {
    std::vector<unsigned char> numbers(stored_bytes(from, kCount)), result(stored_bytes(to, kCount));
    for (unsigned char& byte : numbers) byte = static_cast<unsigned char>(random());
    convert(from, numbers.data(), kCount, 0.3f, to, result.data());
    std::vector<float> before(kCount), after(kCount);
    decode(from, numbers.data(), kCount, before.data());
    decode(to, result.data(), kCount, after.data());
    unsigned wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const float expected = value_of(to, nearest(to, before[i] * 0.3f, Overflow::kSaturate));
      wrong += !(after[i] == expected || (std::isnan(after[i]) && std::isnan(expected)));
    }
    CHECK(wrong == 0);
  }
}
