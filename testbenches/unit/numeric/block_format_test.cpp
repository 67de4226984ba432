// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/block_format.h"

#include <cmath>
#include <random>
#include <vector>

#include "testbenches/support/catch.h"
#include "testbenches/support/exact_formats.h"

using namespace spica::numeric;
using exact::Rational;

namespace {

constexpr unsigned kBlock = 32;

/// Elements of a format that are not negative, in order, as exact numbers.
std::vector<Rational> elements_of(BlockFormat format) {
  std::vector<Rational> all;
  if (info(format).element == Format::kInt8) {
    for (int i = 0; i <= 127; ++i) all.emplace_back(i, 64);
    return all;
  }
  for (const exact::Printed& printed : exact::kPrinted)
    if (printed.format == info(format).element) {
      const exact::Numbers numbers(printed);
      for (const double value : numbers.values()) all.push_back(exact::of_double(value));
    }
  return all;
}

/// The exponent of the largest power of two that is not above: by doubling and halving.
int floor_log2(const Rational& value) {
  int exponent = 0;
  while (exact::power_of_two(exponent) > value) --exponent;
  while (exact::power_of_two(exponent + 1) <= value) ++exponent;
  return exponent;
}

}  // namespace

TEST_CASE("a block has the scale of its largest number, and the nearest elements") {
  std::mt19937 random(11);
  for (const BlockFormatInfo& f : kBlockFormats) {
    const auto format = static_cast<BlockFormat>(&f - kBlockFormats);
    INFO(f.key);
    if (f.scale != ScaleFormat::kE8m0) continue;
    REQUIRE(f.block == kBlock);
    const std::vector<Rational> elements = elements_of(format);
    const int most = floor_log2(elements.back());
    unsigned wrong = 0;
    for (unsigned block = 0; block < 40; ++block) {
      float values[kBlock];
      Rational largest = 0;
      const int spread = 1 + static_cast<int>(block % 12), around = static_cast<int>(random() % 200) - 100;
      for (float& value : values) {
        value = std::ldexp(static_cast<float>(random() % 0x100'0000) - 0x80'0000,
                           around - 23 - static_cast<int>(random() % static_cast<unsigned>(spread)));
        largest = std::max<Rational>(largest, abs(exact::of_double(static_cast<double>(value))));
      }
      const std::uint8_t scale = scale_of(format, values, kBlock);
      wrong += scale != floor_log2(largest) - most + 127;
      std::uint32_t codes[kBlock];
      encode_block(format, scale, values, kBlock, codes);
      const Rational unit = exact::power_of_two(scale - 127);
      for (unsigned i = 0; i < kBlock; ++i) {
        const Rational wanted = abs(exact::of_double(static_cast<double>(values[i])));
        const Rational is = abs(exact::of_double(block_value(format, scale, codes[i])));
        for (const Rational& element : elements) wrong += abs(element * unit - wanted) < abs(is - wanted);
        wrong += std::signbit(block_value(format, scale, codes[i])) != std::signbit(values[i]) && is != 0;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE(
    "a scale that is rounded up is the least with which all numbers of a block are within the elements") {
  std::mt19937 random(12);
  for (const BlockFormatInfo& f : kBlockFormats) {
    const auto format = static_cast<BlockFormat>(&f - kBlockFormats);
    INFO(f.key);
    if (f.scale != ScaleFormat::kE8m0) continue;
    const Rational most = elements_of(format).back();
    unsigned wrong = 0, above = 0;
    for (unsigned block = 0; block < 400; ++block) {
      float values[kBlock];
      for (float& value : values)
        value = std::ldexp(static_cast<float>(random() % 0x100'0000) - 0x80'0000,
                           static_cast<int>(block % 100) - 60);
      // At the largest element, next to it, and anywhere.
      const float edge = std::ldexp(most.convert_to<float>(), static_cast<int>(block % 100));
      if (block % 4 == 0) values[7] = edge;
      if (block % 4 == 1) values[7] = std::nextafter(edge, INFINITY);
      Rational largest = 0;
      for (const float value : values)
        largest = std::max<Rational>(largest, abs(exact::of_double(static_cast<double>(value))));
      const int scale = scale_of(format, values, kBlock, BlockScale::kRceil) - 127;
      wrong +=
          largest > most * exact::power_of_two(scale) || largest <= most * exact::power_of_two(scale - 1);
      above += scale + 127 > scale_of(format, values, kBlock);
    }
    CHECK(wrong == 0);
    CHECK(above > 20);
    CHECK(above < 380);
  }
}

TEST_CASE("a block of NVFP4 has the nearest scale of E4M3, or the least with which no element saturates") {
  std::mt19937 random(13);
  constexpr unsigned kNvBlock = 16;
  REQUIRE(info(BlockFormat::kNvFp4).block == kNvBlock);
  std::vector<Rational> scales;
  for (const exact::Printed& printed : exact::kPrinted)
    if (printed.format == Format::kE4m3) {
      const exact::Numbers numbers(printed);
      for (const double value : numbers.values()) scales.push_back(exact::of_double(value));
    }
  REQUIRE(scales.size() == 127);
  REQUIRE(scales.back() == 448);
  const std::vector<Rational> elements = elements_of(BlockFormat::kNvFp4);
  unsigned wrong = 0, rounded_up = 0;
  for (unsigned block = 0; block < 400; ++block) {
    float values[kNvBlock];
    Rational largest = 0;
    const int around = static_cast<int>(block % 20) - 9;
    for (float& value : values) {
      value = std::ldexp(static_cast<float>(random() % 0x100'0000) - 0x80'0000,
                         around - 23 - static_cast<int>(random() % 3));
      largest = std::max<Rational>(largest, abs(exact::of_double(static_cast<double>(value))));
    }
    const Rational wanted = largest / 6;
    const std::uint8_t nearest = scale_of(BlockFormat::kNvFp4, values, kNvBlock);
    const std::uint8_t least = scale_of(BlockFormat::kNvFp4, values, kNvBlock, BlockScale::kRceil);
    REQUIRE(nearest < scales.size());
    for (const Rational& scale : scales) wrong += abs(scale - wanted) < abs(scales[nearest] - wanted);
    wrong += scales[least] < wanted || (least != 0 && scales[least - 1u] >= wanted);
    rounded_up += least != nearest;
    std::uint32_t codes[kNvBlock];
    encode_block(BlockFormat::kNvFp4, least, values, kNvBlock, codes);
    for (unsigned i = 0; i < kNvBlock; ++i) {
      const Rational is = abs(exact::of_double(block_value(BlockFormat::kNvFp4, least, codes[i])));
      const Rational number = abs(exact::of_double(static_cast<double>(values[i])));
      for (const Rational& element : elements)
        wrong += abs(element * scales[least] - number) < abs(is - number);
    }
  }
  CHECK(wrong == 0);
  CHECK(rounded_up > 100);
  const float zeros[2] = {}, tiny[2] = {0x1p-30f, 0}, huge[2] = {0x1p20f, 1}, nan[2] = {1, std::nanf("")};
  CHECK(scale_of(BlockFormat::kNvFp4, zeros, 2) == 0);
  CHECK(scale_of(BlockFormat::kNvFp4, tiny, 2) == 0);
  CHECK(scale_of(BlockFormat::kNvFp4, huge, 2, BlockScale::kRceil) == 0x7E);
  CHECK(scale_of(BlockFormat::kNvFp4, nan, 2) == 0x7F);
  std::uint32_t codes[2];
  encode_block(BlockFormat::kNvFp4, 0, tiny, 2, codes);
  CHECK(codes[0] == 0);
}

TEST_CASE("scales are powers of two from 2^-127 to 2^127, and NaN") {
  const auto value = [](std::uint8_t scale) { return scale_value(ScaleFormat::kE8m0, scale); };
  CHECK(value(0) == 0x1p-127f);
  CHECK(value(127) == 1);
  CHECK(value(254) == 0x1p127f);
  CHECK(std::isnan(value(kScaleNan)));
  const float zeros[2] = {}, tiny[2] = {0x1p-149f, 0}, nan[2] = {1, std::nanf("")}, large[2] = {0x1p127f, 1};
  CHECK(scale_of(BlockFormat::kMxFp4E2m1, zeros, 2) == 0);
  CHECK(scale_of(BlockFormat::kMxFp4E2m1, tiny, 2) == 0);
  CHECK(scale_of(BlockFormat::kMxFp4E2m1, nan, 2) == kScaleNan);
  CHECK(scale_of(BlockFormat::kMxInt8, large, 2) == 254);
  std::uint32_t codes[2];
  encode_block(BlockFormat::kMxFp4E2m1, kScaleNan, nan, 2, codes);
  CHECK(std::isnan(block_value(BlockFormat::kMxFp4E2m1, kScaleNan, codes[0])));
}

TEST_CASE("the largest number of a block may lie beyond the largest element, which it becomes") {
  const float values[2] = {1.99f, -1.99f};  // scale 2^-2, so 7.96 and -7.96: beyond 6
  const std::uint8_t scale = scale_of(BlockFormat::kMxFp4E2m1, values, 2);
  std::uint32_t codes[2];
  encode_block(BlockFormat::kMxFp4E2m1, scale, values, 2, codes);
  CHECK(block_value(BlockFormat::kMxFp4E2m1, scale, codes[0]) == 1.5);
  CHECK(block_value(BlockFormat::kMxFp4E2m1, scale, codes[1]) == -1.5);
}
