// SPDX-License-Identifier: Apache-2.0
// Sums of operands with block scales, against integers of 1024 bits. SPICA_SUMS: dot products of each rule.
#include <random>

#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_scaled_dot.h"
#include "testbenches/unit/numeric/draws.h"

using namespace spica::numeric;
namespace ref = spica::numeric::exact_dot;
using ref::Scales;
using ref::Words;

TEST_CASE("sums with block scales are those of an exact reference") {
  std::mt19937 random(521);
  for (const char* const key :
       {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1", "nvfp4"}) {
    const bool is_nvfp4 = std::string_view(key) == "nvfp4", has_groups = is_nvfp4 || key[4] == '4';
    const ref::Format& format = ref::format_of(has_groups ? "fp4_e2m1" : key + 2);
    const Mma mma("blackwell", key, "fp32");
    const unsigned bits = 1 + static_cast<unsigned>(format.exponent_bits + format.fraction_bits);
    const std::size_t k = 128, blocks = k / (is_nvfp4 ? 16 : 32);
    Words a(k), b(k);
    Scales scale_a(blocks), scale_b(blocks);
    for (unsigned i = 0; i < spica::testbench::draws(3'000); ++i) {
      const unsigned kind = random() % 4;
      for (Words* words : {&a, &b})
        for (std::uint32_t& word : *words) {
          word = static_cast<std::uint32_t>(random()) & ((1u << bits) - 1);
          if (kind == 0 && random() % 2 != 0) word = 0;
          // Infinities and NaN in one case of four only: else nearly each sum has one.
          while (kind != 3 && ref::decoded(format, word).kind != ref::Value::kFinite) word ^= 1u << 3;
        }
      const unsigned spread = kind == 1 ? 40 : kind == 2 ? 4 : 256;
      for (Scales* scales : {&scale_a, &scale_b})
        for (std::uint8_t& scale : *scales) {
          scale = static_cast<std::uint8_t>(is_nvfp4 ? random() % 256 : 127 - spread / 2 + random() % spread);
          if (kind != 3 && (is_nvfp4 ? scale & 0x7F : scale) == (is_nvfp4 ? 0x7F : 255)) scale = 100;
        }
      auto c = static_cast<std::uint32_t>(random());
      if (kind != 3) c = (c & 0x807F'FFFF) | static_cast<std::uint32_t>(100 + random() % 60) << 23;
      if (random() % 4 == 0) c = 0;
      std::uint32_t found = 0;
      mma(a.data(), b.data(), scale_a.data(), scale_b.data(), &c, &found, 1, 1, static_cast<unsigned>(k));
      const std::uint32_t wanted = has_groups ? ref::scaled_groups(is_nvfp4, a, b, scale_a, scale_b, c)
                                              : ref::scaled_products(format, a, b, scale_a, scale_b, c);
      CAPTURE(key, i, kind, found, wanted);
      REQUIRE(found == wanted);
    }
  }
}

TEST_CASE("instructions with block scales have the names of PTX") {
  const auto key = [](std::string_view name) {
    return std::string_view(Mma("blackwell", name).operands().key);
  };
  CHECK(key("mma.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3") ==
        "nvfp4");
  CHECK(key("mma.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0") == "mxfp4_e2m1");
  CHECK(key("mma.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e5m2.f32.ue8m0") == "mxfp8_e4m3");
  CHECK_THROWS_WITH(Mma("blackwell", "mma.block_scale.f32.e2m1"),
                    Catch::Contains("the type of its scales, ue8m0 or ue4m3, is missing"));
  CHECK_THROWS_WITH(Mma("blackwell", "mma.f32.e5m2.ue4m3"),
                    Catch::Contains("no unit multiplies these operands with these scales"));
  CHECK_THROWS_WITH(Mma("hopper", "mma.f32.e4m3.ue8m0"),
                    Catch::Contains("has no rule for mxfp8_e4m3 -> fp32"));
}
