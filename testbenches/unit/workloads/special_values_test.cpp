// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, overflow and subnormal numbers: operands, references and verdicts, and the table of the
// documentation.
#include "platform/workloads/special_values.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "models/numeric/block_format.h"
#include "models/numeric/bounded.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/epilogue.h"
#include "testbenches/support/catch.h"

using namespace spica;
using Catch::Contains;
using workloads::Element;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();

std::string error_of(const std::vector<float>& values, Element element) {
  try {
    workloads::check_special_values("a.npy", values, 2, element);
  } catch (const input::UserError& error) {
    return error.what();
  }
  return {};
}

/// A row of the table for each format, as the model has it.
std::vector<std::string> table_rows() {
  std::vector<std::string> rows;
  for (const numeric::FormatInfo& info : numeric::kFormats) {
    if (info.bits == 32 && !info.is_float) continue;  // no operand
    const bool nan = info.specials != numeric::Specials::kNone,
               infinity = info.specials == numeric::Specials::kIeee;
    rows.push_back(std::string("| `") + info.key + "` | " + (nan ? "kept" : "refused") + " | " +
                   (infinity ? "kept" : "refused") + " | " + (info.is_float ? "kept" : "none") + " |");
  }
  for (const numeric::BlockFormatInfo& info : numeric::kBlockFormats)
    rows.push_back(std::string("| `") + info.key + "` | scale is NaN | scale is NaN | " +
                   (numeric::info(info.element).is_float ? "kept" : "none") + " |");
  return rows;
}

}  // namespace

TEST_CASE("operands keep infinities where the format has them, and finite numbers become no infinities") {
  for (const numeric::FormatInfo& info : numeric::kFormats) {
    const Element format = *numeric::format_of_key(info.key);
    if (format == Element::kInt32) continue;
    INFO(info.key);
    const std::vector<float> values =
        workloads::rounded({kInfinity, -kInfinity, std::numeric_limits<float>::max(), kNan}, format);
    const bool keeps = info.specials == numeric::Specials::kIeee;
    const float largest = numeric::largest(format);
    CHECK(values[0] == (keeps ? kInfinity : largest));
    CHECK((values[1] < 0) == info.is_signed);
    CHECK(values[2] == largest);
    CHECK(std::isnan(values[3]) == (info.specials != numeric::Specials::kNone));
    // The DMA does the same.
    const std::vector<unsigned char> memory = workloads::encoded({kInfinity, 3e38f}, Element::kFp32);
    std::vector<unsigned char> converted(numeric::stored_bytes(format, 2));
    numeric::convert(Element::kFp32, memory.data(), 2, 1, format, converted.data());
    CHECK(workloads::decoded(converted, format)[0] == values[0]);
    CHECK(workloads::decoded(converted, format)[1] == workloads::rounded({3e38f}, format)[0]);
  }
}

TEST_CASE("a special value that the format lacks is refused with its place") {
  const std::vector<float> values{1, 2, kInfinity, 4, kNan, kNan};
  CHECK(error_of(values, Element::kFp16).empty());
  CHECK_THAT(
      error_of(values, Element::kE4m3),
      Contains("a.npy: element [1][0] is infinite, which fp8_e4m3 does not have; formats that have it: "
               "fp32, tf32, bf16, fp16, fp8_e5m2"));
  CHECK_THAT(
      error_of({1, 2, 3, kNan, kNan}, Element::kInt8),
      Contains("element [1][1] is NaN, which int8 does not have (2 such elements); formats that have it: "
               "fp32, tf32, bf16, fp16, fp8_e4m3, fp8_e5m2"));
  CHECK(error_of({1, 2, 3, kNan}, Element::kE4m3).empty());
  CHECK_FALSE(error_of({kNan}, Element::kE2m1).empty());
}

TEST_CASE("numbers that become the largest of their format are counted, special values of a result, too") {
  CHECK(workloads::count_beyond({65504, 65505, -1e6f, kInfinity, kNan}, Element::kFp16, 1) == 2);
  CHECK(workloads::count_beyond({-1e6f}, Element::kFp16, 16) == 0);
  const auto count = workloads::count_special({1, kInfinity, -kInfinity, kNan});
  CHECK(workloads::special_text(count) == "2 elements are infinite, 1 element is NaN");
  CHECK(workloads::special_text({}).empty());
}

TEST_CASE("what is right to the bit is right, whatever the bound says") {
  const workloads::GemmSize size{2, 2, 8};
  const auto arithmetic = workloads::Arithmetic::matrix_unit(Element::kFp32, 8, Element::kFp32);
  const auto wrong = [&](const std::vector<float>& a, const std::vector<float>& b,
                         const std::vector<float>& c) {
    const std::vector<bool> differs =
        workloads::differences(workloads::exact_product(size, a, b, arithmetic), c);
    return workloads::check_gemm(size, a, b, c, {}, [](double sum, std::uint32_t) { return sum; }, &differs);
  };
  for (const float number : {1e-30f, 1e30f, kInfinity, kNan}) {
    CAPTURE(number);
    const std::vector<float> a(16, number), b(16, 1.3e-15f * number);
    std::vector<float> c = workloads::exact_product(size, a, b, arithmetic);
    const auto right = wrong(a, b, c);
    CHECK(right.correct);
    CHECK(right.wrong == 0);
    CHECK(std::isfinite(right.largest_error));
    CHECK(std::isfinite(right.max_error));
    c[3] = c[3] == 0 ? 1 : 0;
    CHECK_FALSE(wrong(a, b, c).correct);
    CHECK(wrong(a, b, c).different_bits == 1);
  }
}

TEST_CASE("the bound has subnormal numbers, overflow and NaN of sums in any order") {
  const auto correct = [](float a, float b, float c, std::uint32_t k) {
    return workloads::check_gemm({1, 1, k}, std::vector<float>(k, a), std::vector<float>(k, b), {c},
                                 workloads::single_precision(k))
        .correct;
  };
  CHECK(correct(1e-23f, 1e-23f, 1.4e-45f, 4));  // 4e-46, as the sum of products rounded to 2^-149 may be
  CHECK_FALSE(correct(1e-20f, 1e-20f, 0, 4));
  CHECK(correct(1e20f, 1e20f, kInfinity, 1));
  CHECK_FALSE(correct(1e10f, 1e10f, kInfinity, 1));
  CHECK_FALSE(correct(1e20f, 1e20f, -1, 1));
  CHECK(correct(kNan, 1, kNan, 1));
  CHECK_FALSE(correct(kNan, 1, 5, 1));
  CHECK(correct(-kInfinity, 1, -kInfinity, 2));
  CHECK_FALSE(correct(-kInfinity, 1, kInfinity, 2));
  CHECK_FALSE(correct(-kInfinity, 1, 7, 2));
}

TEST_CASE("epilogues and activations have a result for infinite and NaN sums") {
  const std::vector<float> sums{kInfinity, -kInfinity, kNan};
  const auto different = [&](workloads::Activation activation, Element output, const std::vector<float>& c) {
    return workloads::different_elements(workloads::Epilogue{false, activation, output, 1, 1}, sums,
                                         std::vector<float>{}, 3, c);
  };
  using workloads::Activation;
  CHECK(different(Activation::kRelu, Element::kFp32, {kInfinity, 0, 0}) == 0);
  CHECK(different(Activation::kSwish, Element::kFp32, {kInfinity, kNan, kNan}) == 0);
  CHECK(different(Activation::kSwish, Element::kFp32, {kInfinity, 0, 0}) == 2);
  CHECK(different(Activation::kGelu, Element::kFp16, {65504, kNan, kNan}) == 0);
  CHECK(different(Activation::kSwish, Element::kInt8, {127, 0, 0}) == 0);
  CHECK(workloads::fitting_step({false, Activation::kNone, Element::kInt8, 1, 1}, {kInfinity, 2}, {}, 1, 2,
                                2) == 63.5f);
}

TEST_CASE("the table of special values in the documentation is that of the model") {
  std::ifstream file(std::filesystem::path(SPICA_SOURCE_DIR) / "docs/howto/number-formats.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const std::string& row : table_rows()) CHECK_THAT(text.str(), Contains(row));
}
