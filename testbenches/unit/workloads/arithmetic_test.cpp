// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/arithmetic.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::Arithmetic;
using workloads::Element;
using workloads::GemmSize;

namespace {

// One row times one column: the order of sums along k can be read off the literals.
float dot(const std::vector<float>& a, const std::vector<float>& b, const Arithmetic& arithmetic) {
  const GemmSize size{1, 1, static_cast<std::uint32_t>(a.size())};
  return workloads::exact_product(size, a, b, arithmetic)[0];
}

Arithmetic chains_of(unsigned length) {
  return Arithmetic::matrix_unit(Element::kFp32, length, Element::kFp32);
}
const Arithmetic kPairs = Arithmetic::tensor_core(Element::kFp32);

constexpr float kUlp = 0x1p-23f;  // of 1

}  // namespace

TEST_CASE("a chain rounds once per multiply-add") {
  // (1 + u)^2 - (1 + 2 u) = u^2 survives only if the product is not rounded.
  const std::vector<float> a{-1, 1 + kUlp}, b{1 + 2 * kUlp, 1 + kUlp};
  CHECK(dot(a, b, chains_of(2)) == kUlp * kUlp);
  CHECK(dot(a, b, kPairs) == 0.0f);
}

TEST_CASE("chains start from zero and are added in ascending order of k") {
  // Chains of two: (1 + 2^-24) = 1, then 1 + 2^-24 again = 1. One chain of four gives the same; the pair of
  // small terms in one chain does not.
  const float small = 0x1p-24f;
  CHECK(dot({1, small, small, 0}, {1, 1, 1, 1}, chains_of(2)) == 1.0f);
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, chains_of(2)) == 1.0f + kUlp);
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, chains_of(4)) == 1.0f);
}

TEST_CASE("the tensor core adds two products and then the sum before") {
  const float small = 0x1p-24f;
  CHECK(dot({1, small, small, 0}, {1, 1, 1, 1}, kPairs) == 1.0f);
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, kPairs) == 1.0f + kUlp);
}

TEST_CASE("all elements of a product follow the same order") {
  const GemmSize size{5, 19, 16};
  const auto a = workloads::make_operand(size.m * size.k, 3), b = workloads::make_operand(size.k * size.n, 4);
  const auto chains = workloads::exact_product(size, a, b, chains_of(8));
  const auto pairs = workloads::exact_product(size, a, b, kPairs);
  std::vector<float> expected_chains(chains.size()), expected_pairs(pairs.size());
  for (unsigned i = 0; i < size.m; ++i)
    for (unsigned j = 0; j < size.n; ++j) {
      float sum = 0, pair_sum = 0;
      for (unsigned block = 0; block < size.k; block += 8) {
        float chain = 0;
        for (unsigned k = block; k < block + 8; ++k)
          chain = std::fma(a[i * size.k + k], b[k * size.n + j], chain);
        sum += chain;
      }
      for (unsigned k = 0; k < size.k; k += 2) {
        const float first = a[i * size.k + k] * b[k * size.n + j];
        const float second = a[i * size.k + k + 1] * b[(k + 1) * size.n + j];
        pair_sum = (first + second) + pair_sum;
      }
      expected_chains[i * size.n + j] = sum;
      expected_pairs[i * size.n + j] = pair_sum;
    }
  CHECK(workloads::different_elements(expected_chains, chains) == 0);
  CHECK(workloads::different_elements(expected_pairs, pairs) == 0);
  CHECK(workloads::different_elements(chains, pairs) > 0);
}

TEST_CASE("one bit makes an element different, the kind of NaN does not") {
  std::vector<float> a{1, 2, std::nanf("1"), 0.0f}, b = a;
  b[2] = std::nanf("2");
  CHECK(workloads::different_elements(a, b) == 0);
  b[1] = std::nextafter(2.0f, 3.0f);
  b[3] = -0.0f;
  CHECK(workloads::different_elements(a, b) == 2);
}

TEST_CASE("the FP16 tensor core rounds products and their sums to FP16") {
  const Arithmetic fp16 = Arithmetic::tensor_core(Element::kFp16);
  const float ulp = 0x1p-10f;  // of 1 in FP16
  // (1 + u)^2 = 1 + 2u + u^2 loses its last term before it is added.
  CHECK(dot({1 + ulp, -1, 0, 0}, {1 + ulp, 1 + 2 * ulp, 0, 0}, fp16) == 0.0f);
  // Pairs of a set are added first, in FP16: 1 + u/2 = 1 in each of them. The sum over sets is FP32.
  CHECK(dot({1, ulp / 2, ulp / 2, 0}, {1, 1, 1, 1}, fp16) == 1.0f);
  CHECK(dot({1, 0, ulp / 2, ulp / 2}, {1, 1, 1, 1}, fp16) == 1.0f + ulp);
  CHECK(dot({1, 0, 0, 0, ulp / 2, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1}, fp16) == 1.0f + ulp / 2);
  // 300 * 300 is infinite in FP16.
  CHECK(std::isinf(dot({300, 0, 0, 0}, {300, 0, 0, 0}, fp16)));
}

TEST_CASE("the decoupled tensor core adds eight FP16 or four FP32 products in a tree") {
  const float ulp = 0x1p-10f;
  const std::vector<float> ones(8, 1.0f);
  const Arithmetic fp16 = Arithmetic::decoupled_tensor_core(Element::kFp16);
  CHECK(dot({1, 0, 0, 0, ulp / 4, ulp / 4, ulp / 4, ulp / 4}, ones, fp16) == 1.0f + ulp);
  CHECK(dot({1, ulp / 4, ulp / 4, ulp / 4, ulp / 4, 0, 0, 0}, ones, fp16) == 1.0f);
  const Arithmetic fp32 = Arithmetic::decoupled_tensor_core(Element::kFp32);
  const float small = 0x1p-24f;
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, fp32) == 1.0f + kUlp);
  CHECK(dot({1, small, small, 0}, {1, 1, 1, 1}, fp32) == 1.0f);
}

TEST_CASE("the FP16 matrix unit sums in FP32 and rounds the result once") {
  const Arithmetic unit = Arithmetic::matrix_unit(Element::kFp16, 2, Element::kFp16);
  const float ulp = 0x1p-10f;
  CHECK(dot({1, ulp / 4, ulp / 4, ulp / 8}, {1, 1, 1, 1}, unit) == 1.0f + ulp);
  CHECK(dot({1, ulp / 2}, {1, 1}, unit) == 1.0f);
}

TEST_CASE("sums by a rule begin with C, and only stored results are rounded to their format") {
  const numeric::Mma mma("hopper", "bf16", "fp32");
  const Arithmetic unit = Arithmetic::by_rule(mma.rule(), 32, Element::kBf16, Element::kBf16);
  constexpr std::uint32_t kColumns = 8, kDepth = 64;
  std::vector<float> a(kDepth), b(std::size_t{kDepth} * kColumns), c(kColumns);
  std::vector<std::uint32_t> words_a(kDepth), words_b(b.size()), words_c(kColumns), sums(kColumns);
  const auto word = [](float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto n = static_cast<float>(i % 61);
    b[i] = i % 3 == 0 ? -1 - n / 128 : 1 + n / 64;
    words_b[i] = word(b[i]) >> 16;
    if (i < kDepth) a[i] = std::ldexp(1 + n / 64, static_cast<int>(i) % 19 - 9);
    if (i < kDepth) words_a[i] = word(a[i]) >> 16;
    if (i < kColumns) words_c[i] = word(c[i] = 1.0f / (3 + n));
  }
  mma(words_a.data(), words_b.data(), words_c.data(), sums.data(), 1, kColumns, kDepth);
  const std::vector<float> found = workloads::exact_sum({1, kColumns, kDepth}, a, b, c, unit);
  for (std::uint32_t column = 0; column < kColumns; ++column) {
    const std::uint32_t up = (sums[column] & 0xFFFF) + (sums[column] >> 16 & 1) > 0x8000 ? 1 : 0;
    CHECK(word(found[column]) >> 16 == (sums[column] >> 16) + up);
    CHECK((word(found[column]) & 0xFFFF) == 0);
  }
}

TEST_CASE("each arithmetic keeps within its tolerance and makes use of it") {
  numeric::SumRule cut;
  cut.result = numeric::SumResult::kE8m13;
  cut.fraction_bits = 13;
  const GemmSize size{24, 16, 128};
  for (const Element element : {Element::kFp32, Element::kFp16}) {
    const auto a = workloads::make_operand(size.m * size.k, 5, element);
    const auto b = workloads::make_operand(size.k * size.n, 6, element);
    for (const Arithmetic& arithmetic :
         {Arithmetic::tensor_core(element), Arithmetic::decoupled_tensor_core(element),
          Arithmetic::matrix_unit(element, 16, element), Arithmetic::by_rule(cut, 16, element, element)}) {
      const auto c = workloads::exact_product(size, a, b, arithmetic);
      const auto check = workloads::check_gemm(size, a, b, c, workloads::tolerance_of(arithmetic, size.k));
      CHECK(check.correct);
      CHECK(check.largest_error > 0.005 * check.allowed_at_largest);
    }
  }
}
