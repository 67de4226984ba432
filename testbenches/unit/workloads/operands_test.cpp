// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/operands.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/base/input/user_error.h"
#include "platform/workloads/design_file.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::Element;
using workloads::GemmSize;

namespace {

const std::filesystem::path kConfigs = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";

workloads::GemmDesign gemm_design(const std::string& name) {
  return workloads::read_gemm_design(name, kConfigs);
}

/// C = A * B in single precision, one multiply-add after the other.
std::vector<float> multiply(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(size.m * size.n, 0.0f);
  for (unsigned i = 0; i < size.m; ++i)
    for (unsigned j = 0; j < size.n; ++j)
      for (unsigned k = 0; k < size.k; ++k)
        c[i * size.n + j] = std::fma(a[i * size.k + k], b[k * size.n + j], c[i * size.n + j]);
  return c;
}

}  // namespace

TEST_CASE("sizes are three numbers or one") {
  CHECK(workloads::parse_gemm_size("256x128x64").text() == "256x128x64");
  CHECK(workloads::parse_gemm_size("512").text() == "512x512x512");
  for (const char* wrong : {"", "x", "1x2", "1x2x3x4", "0x64x64", "-64", "64x64x64 ", "64X64X64"})
    CHECK_THROWS_AS(workloads::parse_gemm_size(wrong), input::UserError);
}

TEST_CASE("operands depend on the seed alone and lie between -1 and 1") {
  const auto first = workloads::make_operand(1000, 7);
  CHECK(first == workloads::make_operand(1000, 7));
  CHECK(first != workloads::make_operand(1000, 8));
  double sum = 0;
  for (const float value : first) {
    CHECK(value >= -1.0f);
    CHECK(value < 1.0f);
    sum += value;
  }
  CHECK(std::fabs(sum / 1000) < 0.1);
}

TEST_CASE("the reference accepts single-precision rounding and nothing more") {
  const GemmSize size{16, 8, 32};
  const auto a = workloads::make_operand(size.m * size.k, 1), b = workloads::make_operand(size.k * size.n, 2);
  auto c = multiply(size, a, b);
  CHECK(workloads::check_gemm(size, a, b, c, workloads::single_precision(size.k)).correct);

  c[5 * size.n + 3] += 1e-3f;
  const auto check = workloads::check_gemm(size, a, b, c, workloads::single_precision(size.k));
  CHECK_FALSE(check.correct);
  CHECK(check.wrong == 1);
  CHECK(check.first_row == 5);
  CHECK(check.first_column == 3);
}

TEST_CASE("a result that is not a number is wrong") {
  const GemmSize size{8, 8, 8};
  const auto a = workloads::make_operand(64, 1), b = workloads::make_operand(64, 2);
  auto c = multiply(size, a, b);
  c[63] = std::nanf("");
  CHECK_FALSE(workloads::check_gemm(size, a, b, c, workloads::single_precision(size.k)).correct);
}

TEST_CASE("rows of zeros are checked like others: their results are zero, or no number where B is infinite") {
  const workloads::GemmSize size{14, 5, 70};
  const std::vector<float> a(14 * 70);
  std::vector<float> b = workloads::make_operand(70 * 5, 3), c(14 * 5);
  const auto check = [&] {
    return workloads::check_gemm(size, a, b, c, workloads::single_precision(size.k));
  };
  CHECK(check().correct);
  c[13 * 5 + 4] = 1e-3f;
  CHECK(check().wrong == 1);
  c[13 * 5 + 4] = 0;
  b[69 * 5 + 4] = std::numeric_limits<float>::infinity();
  CHECK(check().wrong == 14);
  for (unsigned row = 0; row < 14; ++row) c[row * 5 + 4] = std::numeric_limits<float>::quiet_NaN();
  CHECK(check().correct);
}

TEST_CASE("two elements that changed places are found") {
  const GemmSize size{8, 8, 16};
  const auto a = workloads::make_operand(128, 1), b = workloads::make_operand(128, 2);
  auto c = multiply(size, a, b);
  std::swap(c[0], c[1]);
  CHECK(workloads::check_gemm(size, a, b, c, workloads::single_precision(size.k)).wrong == 2);
}

TEST_CASE("the argument block has the published layout") {
  workloads::GemmLayout layout;
  layout.a = 0xA0000000;
  layout.b = 0xA1000000;
  layout.c = 0xC0000000;
  const auto block = workloads::argument_block(gemm_design("tc"), {{256, 128, 64}}, {layout});
  REQUIRE(block.size() == 40);
  CHECK(block[0] == 0);
  CHECK(block[1] == 1);   // M = 256
  CHECK(block[4] == 128);  // N
  CHECK(block[8] == 64);   // K
  CHECK(block[16 + 3] == 0xA0);
  CHECK(block[24 + 3] == 0xA1);
  CHECK(block[32 + 3] == 0xC0);
  CHECK(block[36] == 0);
}

TEST_CASE("large matrices move behind each other instead of overlapping") {
  const GemmSize size{4096, 4096, 2048};
  const auto layout = workloads::layouts_of(gemm_design("tc"), {size})[0];
  CHECK(layout.b >= layout.a + 4ull * size.m * size.k);
  CHECK(layout.c >= layout.b + 4ull * size.k * size.n);
  CHECK_THROWS_AS(workloads::layouts_of(gemm_design("tc"), {{16384, 16384, 8192}}), input::UserError);
}

TEST_CASE("matrices stay below the stacks of a machine with many threads") {
  const GemmSize size{1024, 1024, 1024};
  constexpr std::uint64_t kStacks = 0xAF000000;
  constexpr workloads::MatrixRoom kRoom{0xA0000000, kStacks};
  const auto alone = workloads::layouts_of(gemm_design("tc"), {size})[0];
  CHECK(alone.c == 0xC0000000);
  const auto layout = workloads::layouts_of(gemm_design("tc"), {size}, 64, nullptr, kRoom)[0];
  CHECK(layout.b == alone.b);
  CHECK(layout.c >= layout.b + 4ull * size.k * size.n);
  CHECK(layout.c + 4ull * size.m * size.n <= kStacks);
  CHECK_THROWS_AS(workloads::layouts_of(gemm_design("tc"), {{8192, 8192, 8192}}, 64, nullptr, kRoom),
                  input::UserError);
  spica::soc::SocParams machine;
  CHECK(workloads::matrix_room(machine).begin == 0xA0000000);
  CHECK(workloads::matrix_room(machine).end == 0xFE000000);
  machine.clusters = 80;
  machine.cluster.core.warps = 16;
  machine.cluster.core.lanes = 32;  // 163840 threads
  CHECK(workloads::matrix_room(machine).end == 0xFF000000 - 163839ull * 8208 - 8192);
  machine.clusters = 108;
  CHECK(workloads::matrix_room(machine).end == 0xA0000000);  // no room: refused
  machine.main_memory.base = 0x40000000;
  CHECK(workloads::matrix_room(machine).begin == 0x40000000);
  CHECK(workloads::matrix_room(machine).end == 0x80000000);
  const auto below =
      workloads::layouts_of(gemm_design("tc"), {size}, 64, nullptr, workloads::matrix_room(machine))[0];
  CHECK(below.a == 0x40000000);
  CHECK(below.c >= below.b + 4ull * size.k * size.n);
  CHECK(below.c + 4ull * size.m * size.n <= 0x80000000);
}

TEST_CASE("two products have a block of arguments each, with their unit, and places of their own") {
  const auto sizes = workloads::parse_gemm_sizes("256x256x256+128x64x192");
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[1].text() == "128x64x192");
  const auto design = gemm_design("dual-parallel");
  const auto layouts = workloads::layouts_of(design, sizes);
  CHECK(layouts[1].a >= layouts[0].a + 4ull * 256 * 256);
  CHECK(layouts[0].b >= layouts[1].a + 4ull * 128 * 192);
  CHECK(layouts[1].c >= layouts[0].c + 4ull * 256 * 256);
  const auto block = workloads::argument_block(design, sizes, layouts);
  REQUIRE(block.size() == 80);
  CHECK(block[12] == 0);
  CHECK(block[40] == 128);  // M of the second
  CHECK(block[40 + 12] == 1);
  CHECK(block[40 + 16 + 2] == 0x10);  // A, 1 MiB behind the first
}

TEST_CASE("a list of sizes must be complete") {
  CHECK_THROWS_AS(workloads::parse_gemm_sizes("256+"), input::UserError);
  CHECK_THROWS_AS(workloads::parse_gemm_sizes(""), input::UserError);
  const auto dual = gemm_design("dual-serial");
  CHECK(workloads::parse_sizes(dual, "").size() == 2);
  CHECK_THROWS_AS(workloads::parse_sizes(dual, "64"), input::UserError);
  CHECK(workloads::parse_sizes(gemm_design("tc"), "")[0].text() == "256x256x256");
}

TEST_CASE("of two checks the worse error and the first wrong element stay") {
  workloads::GemmCheck all, one;
  all.correct = true;
  all.largest_error = 3;
  all.allowed_at_largest = 4;
  one.correct = false;
  one.wrong = one.different_bits = 2;
  one.first_row = 7;
  one.largest_error = 2;
  one.allowed_at_largest = 1;
  workloads::add(all, one);
  CHECK_FALSE(all.correct);
  CHECK(all.wrong == 2);
  CHECK(all.different_bits == 2);
  CHECK(all.first_row == 7);
  CHECK(all.largest_error == 2);
  workloads::GemmCheck good;
  good.correct = true;
  good.largest_error = good.allowed_at_largest = 1;
  workloads::add(all, good);
  CHECK(all.wrong == 2);
  CHECK(all.largest_error == 2);
}

TEST_CASE("FP16 operands are values of FP16 between -1 and 1") {
  const auto values = workloads::make_operand(4096, 7, Element::kFp16);
  CHECK(values == workloads::decoded(workloads::encoded(values, Element::kFp16), Element::kFp16));
  CHECK(*std::min_element(values.begin(), values.end()) >= -1.0f);
  CHECK(*std::max_element(values.begin(), values.end()) < 1.0f);
  CHECK(workloads::encoded({1.0f, -2.0f}, Element::kFp16) ==
        std::vector<unsigned char>{0x00, 0x3C, 0x00, 0xC0});
  CHECK(workloads::encoded({1.0f}, Element::kFp32) == std::vector<unsigned char>{0x00, 0x00, 0x80, 0x3F});
}

TEST_CASE("the standard design of a configuration goes by its name, of another one by what fits") {
  soc::SocParams params;
  CHECK(workloads::design_for("virgo", params, kConfigs).name == "virgo-dma");
  CHECK(workloads::design_for("some/folder/virgo-dual.yaml", params, kConfigs).name == "virgo-dma");
  CHECK(workloads::design_for("mine.yaml", params, kConfigs).name == "virgo-dma");
  params.cluster.matrix_units.clear();
  CHECK_THROWS_AS(workloads::design_for("mine.yaml", params, kConfigs), input::UserError);
}
