// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/base/input/user_error.h"
#include "platform/workloads/attention_check.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::AttentionOperands;
using workloads::AttentionSize;
using workloads::Exponential;
using workloads::Rescaling;

namespace {

constexpr AttentionSize kSize{256, 64};

float exponential(Exponential kind, float x) {
  return kind == Exponential::kExact ? std::exp(x) : 1 + x + x * x / 2;
}

// Products are rounded and added one after the other.
constexpr workloads::Roundings kRoundings{64 + 1, 64 + 1};

workloads::AttentionCheck check_attention(const AttentionOperands& operands, Exponential kind,
                                          const std::vector<float>& o,
                                          Rescaling rescaling = Rescaling::kFactor) {
  return workloads::check_attention(kSize, operands, kind, rescaling, kRoundings, o);
}

/// Online softmax in single precision, key blocks of 64; `skipped` is left out.
std::vector<float> attention(const AttentionOperands& operands, Exponential kind,
                             std::uint32_t skipped = kSize.sequence,
                             Rescaling rescaling = Rescaling::kFactor) {
  std::vector<float> o(operands.q.size());
  const std::uint32_t d = kSize.head_dim;
  for (std::uint32_t row = 0; row < kSize.sequence; ++row) {
    float maximum = 0, sum = 0;
    float* out = &o[row * d];
    for (std::uint32_t first = 0; first < kSize.sequence; first += 64) {
      float scores[64], next = first == 0 ? -std::numeric_limits<float>::infinity() : maximum;
      for (std::uint32_t key = 0; key < 64; ++key) {
        float score = 0;
        for (std::uint32_t i = 0; i < d; ++i)
          score += operands.q[row * d + i] * operands.k[(first + key) * d + i];
        scores[key] = score / 8;
        next = std::fmax(next, scores[key]);
      }
      const float factor = first == 0 ? 0 : exponential(kind, maximum - next);
      const float reciprocal = first == 0 ? 0 : 1 / exponential(kind, next - maximum);
      const float rescale = rescaling == Rescaling::kFactor ? factor : reciprocal;
      maximum = next;
      sum *= factor;
      for (std::uint32_t i = 0; i < d; ++i) out[i] *= rescale;
      for (std::uint32_t key = 0; key < 64; ++key) {
        if (first + key == skipped) continue;
        const float p = exponential(kind, scores[key] - maximum);
        sum += p;
        for (std::uint32_t i = 0; i < d; ++i) out[i] += p * operands.v[(first + key) * d + i];
      }
    }
    for (std::uint32_t i = 0; i < d; ++i) out[i] /= sum;
  }
  return o;
}

}  // namespace

TEST_CASE("attention in single precision is within its bound, for both exponentials and unequal weights") {
  for (const double spread : {1.0, 16.0}) {
    const AttentionOperands operands = workloads::make_attention_operands(kSize, 1, spread);
    for (const Exponential kind : {Exponential::kExact, Exponential::kPolynomial}) {
      const workloads::AttentionCheck check = check_attention(operands, kind, attention(operands, kind));
      CHECK(check.output.correct);
      CHECK(check.output.largest_error < check.output.allowed_at_largest);
      CHECK(check.output.allowed_at_largest < 2e-4 * check.largest_output * spread);
    }
  }
}

TEST_CASE("one key left out, one element off or not a number is noticed") {
  const AttentionOperands operands = workloads::make_attention_operands(kSize, 2, 1);
  CHECK_FALSE(check_attention(operands, Exponential::kExact, attention(operands, Exponential::kExact, 200))
                  .output.correct);
  for (const float wrong : {1.0f, std::nanf(""), 1e-4f}) {
    std::vector<float> o = attention(operands, Exponential::kExact);
    o[64 * 77 + 5] += wrong;
    const workloads::AttentionCheck check = check_attention(operands, Exponential::kExact, o);
    CHECK_FALSE(check.output.correct);
    CHECK(check.output.wrong == 1);
    CHECK(check.output.first_row == 77);
    CHECK(check.output.first_column == 5);
  }
}

TEST_CASE("the two exponentials are not taken for each other, and their distance is told") {
  const AttentionOperands operands = workloads::make_attention_operands(kSize, 3, 1);
  const std::vector<float> exact = attention(operands, Exponential::kExact);
  const std::vector<float> polynomial = attention(operands, Exponential::kPolynomial);
  CHECK_FALSE(check_attention(operands, Exponential::kPolynomial, exact).output.correct);
  CHECK_FALSE(check_attention(operands, Exponential::kExact, polynomial).output.correct);
  double distance = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    distance = std::max(distance, std::fabs(static_cast<double>(exact[i]) - polynomial[i]));
  const workloads::AttentionCheck check = check_attention(operands, Exponential::kPolynomial, polynomial);
  CHECK(check.distance_to_softmax == Approx(distance).epsilon(1e-3));
}

TEST_CASE(
    "an output that is rescaled by a reciprocal is within its bound, and for the polynomial not within the other's") {
  const AttentionOperands operands = workloads::make_attention_operands(kSize, 4, 1);
  for (const Exponential kind : {Exponential::kExact, Exponential::kPolynomial}) {
    const std::vector<float> o = attention(operands, kind, kSize.sequence, Rescaling::kReciprocal);
    CHECK(check_attention(operands, kind, o, Rescaling::kReciprocal).output.correct);
    CHECK(check_attention(operands, kind, o, Rescaling::kFactor).output.correct ==
          (kind == Exponential::kExact));
  }
}

TEST_CASE("only the rows of the queries that are treated are compared") {
  const AttentionOperands operands = workloads::make_attention_operands(kSize, 5, 1);
  std::vector<float> o = attention(operands, Exponential::kExact);
  o[128 * 64] += 1;
  AttentionSize some = kSize;
  some.queries = 128;
  for (const AttentionSize& size : {kSize, some}) {
    const workloads::AttentionCheck check =
        workloads::check_attention(size, operands, Exponential::kExact, Rescaling::kFactor, kRoundings, o);
    CHECK(check.output.correct == (size.queries != 0));
  }
  CHECK(some.macs() * 2 == kSize.macs());
}

TEST_CASE("FP16 products and probabilities are within the wider bound, and not within that of FP32") {
  const auto half = [](float x) {
    return workloads::decoded(workloads::encoded({x}, workloads::Element::kFp16),
                              workloads::Element::kFp16)[0];
  };
  constexpr AttentionSize kSmall{128, 64};
  for (const double spread : {1.0, 16.0}) {
    const AttentionOperands operands =
        workloads::make_attention_operands(kSmall, 6, spread, workloads::Element::kFp16);
    CHECK((operands.q[5] == half(operands.q[5]) && operands.k[6] == half(operands.k[6])));
    std::vector<float> o(operands.q.size());
    for (std::uint32_t row = 0; row < kSmall.sequence; ++row) {
      std::vector<float> scores(kSmall.sequence);
      float sum = 0;
      for (std::uint32_t key = 0; key < kSmall.sequence; ++key)
        for (std::uint32_t i = 0; i < 64; ++i)
          scores[key] += half(operands.q[row * 64 + i] * operands.k[key * 64 + i]) / 8;
      const float maximum = *std::max_element(scores.begin(), scores.end());
      for (std::uint32_t key = 0; key < kSmall.sequence; ++key) {
        const float p = std::exp(scores[key] - maximum);
        sum += p;
        for (std::uint32_t i = 0; i < 64; ++i) o[row * 64 + i] += half(half(p) * operands.v[key * 64 + i]);
      }
      for (std::uint32_t i = 0; i < 64; ++i) o[row * 64 + i] /= sum;
    }
    const auto check = [&](const workloads::Roundings& roundings) {
      return workloads::check_attention(kSmall, operands, Exponential::kExact, Rescaling::kFactor, roundings,
                                        o)
          .output.correct;
    };
    CHECK(check({65, 65, 1, 1}));
    CHECK_FALSE(check({65, 65, 0, 0}));
  }
}

TEST_CASE(
    "operands and probabilities of BF16 and FP8 are within the bound of their format, and not within that of a finer one") {
  constexpr AttentionSize kSmall{128, 64};
  using workloads::Element;
  for (const auto& [element, finer] : {std::pair{Element::kBf16, Element::kFp16},
                                       {Element::kE4m3, Element::kBf16},
                                       {Element::kE5m2, Element::kBf16}}) {
    CAPTURE(numeric::info(element).key);
    const AttentionOperands operands = workloads::make_attention_operands(kSmall, 9, 4, element);
    CHECK(operands.q == workloads::rounded(operands.q, element));
    std::vector<float> o(operands.q.size());
    for (std::uint32_t row = 0; row < kSmall.sequence; ++row) {
      std::vector<float> p(kSmall.sequence);
      for (std::uint32_t key = 0; key < kSmall.sequence; ++key)
        for (std::uint32_t i = 0; i < 64; ++i)
          p[key] += operands.q[row * 64 + i] * operands.k[key * 64 + i] / 8;
      const float maximum = *std::max_element(p.begin(), p.end());
      float sum = 0;
      for (float& value : p) sum += value = std::exp(value - maximum);
      p = workloads::rounded(std::move(p), element);
      for (std::uint32_t key = 0; key < kSmall.sequence; ++key)
        for (std::uint32_t i = 0; i < 64; ++i) o[row * 64 + i] += p[key] * operands.v[key * 64 + i];
      for (std::uint32_t i = 0; i < 64; ++i) o[row * 64 + i] /= sum;
    }
    const auto correct = [&](Element half) {
      workloads::Roundings roundings{65, 65, 0, 1};
      roundings.probability_format = half;
      return workloads::check_attention(kSmall, operands, Exponential::kExact, Rescaling::kFactor, roundings,
                                        o)
          .output.correct;
    };
    CHECK(correct(element));
    CHECK_FALSE(correct(finer));
  }
}

TEST_CASE("what an element loses is measured against attention of operands before they were rounded") {
  using workloads::Element;
  const AttentionOperands reals = workloads::make_attention_operands(kSize, 5, 4);
  const std::vector<float> expected = attention(reals, Exponential::kExact);
  double before = 0;
  for (const Element element :
       {Element::kFp32, Element::kFp16, Element::kBf16, Element::kE4m3, Element::kE5m2}) {
    CAPTURE(numeric::info(element).key);
    const AttentionOperands operands = workloads::rounded(reals, element);
    CHECK(operands.q == workloads::rounded(reals.q, element));
    CHECK(operands.k == workloads::rounded(reals.k, element));
    CHECK(operands.v == workloads::rounded(reals.v, element));
    const std::vector<float> o = attention(operands, Exponential::kExact);
    double largest = 0, squares = 0;
    for (std::size_t i = 0; i < o.size(); ++i) {
      const double error = std::fabs(static_cast<double>(o[i]) - expected[i]);
      largest = std::max(largest, error);
      squares += error * error;
    }
    workloads::AttentionCheck check;
    workloads::add_format_errors(check, kSize, reals, o);
    CHECK(check.output.max_error == Approx(largest).epsilon(0.01).margin(2e-6));
    CHECK(check.output.squared_errors == Approx(squares).epsilon(0.01).margin(1e-7));
    CHECK(check.output.max_error > before);
    before = check.output.max_error;
  }
}

TEST_CASE("tensor cores round sums to FP16 only of its own products, the matrix unit to what it stores") {
  workloads::AttentionDesign design;
  design.element = workloads::Element::kFp16;
  design.unit = workloads::ComputeUnit::kTensorCore;
  design.roundings = {16, 17, 3, 1};
  std::vector<std::string> overrides;
  const soc::SocParams machine;
  const auto bf16 = workloads::in_element(design, workloads::Element::kBf16, overrides);
  CHECK(overrides == std::vector<std::string>{"cluster.tensor_core.operand=bf16"});
  CHECK(bf16.defines == std::vector<std::string>{"ATTENTION_BF16"});
  workloads::Roundings roundings = workloads::roundings_of(bf16, machine);
  CHECK(roundings.product == 19);
  CHECK(roundings.half_product == 0);
  CHECK(roundings.probability_format == workloads::Element::kBf16);
  design.unit = workloads::ComputeUnit::kMatrixUnit;
  roundings =
      workloads::roundings_of(workloads::in_element(design, workloads::Element::kBf16, overrides), machine);
  CHECK(roundings.product == 16);
  CHECK(roundings.half_product == 3);
  CHECK(roundings.product_format == workloads::Element::kBf16);
  // Two elements of FP8 have the place of one: chains of twice the length, stored as BF16.
  overrides.clear();
  const auto fp8 = workloads::in_element(design, workloads::Element::kE4m3, overrides);
  CHECK(overrides == std::vector<std::string>{"cluster.matrix_units.0.operand=fp8_e4m3",
                                              "cluster.matrix_units.0.macs_per_cell=2"});
  roundings = workloads::roundings_of(fp8, machine);
  CHECK(roundings.product == 32);
  CHECK(roundings.half_product == 3);
  CHECK(roundings.product_format == workloads::Element::kBf16);
  CHECK(roundings.probability_format == workloads::Element::kE4m3);
  design.element = workloads::Element::kFp32;
  CHECK_THROWS_AS(workloads::in_element(design, workloads::Element::kBf16, overrides), input::UserError);
}

TEST_CASE(
    "scores whose errors change weights by factors are within a bound that still notices a wrong element") {
  constexpr AttentionSize kSmall{128, 64};
  for (const double spread : {300.0, 1000.0}) {
    const AttentionOperands operands =
        workloads::make_attention_operands(kSmall, 8, spread, workloads::Element::kFp16);
    std::vector<float> o(operands.q.size());
    for (std::uint32_t row = 0; row < kSmall.sequence; ++row) {
      std::vector<float> scores(kSmall.sequence);
      for (std::uint32_t key = 0; key < kSmall.sequence; ++key)
        for (std::uint32_t i = 0; i < 64; ++i) {
          const float product = operands.q[row * 64 + i] * operands.k[key * 64 + i];
          // Each product is as wrong as FP16 allows, up and down.
          scores[key] += product * (1 + ((row + key) % 2 == 0 ? 1 : -1) * 0x1p-11f) / 8;
        }
      const float maximum = *std::max_element(scores.begin(), scores.end());
      float sum = 0;
      for (std::uint32_t key = 0; key < kSmall.sequence; ++key) {
        const float p = std::exp(scores[key] - maximum);
        sum += p;
        for (std::uint32_t i = 0; i < 64; ++i) o[row * 64 + i] += p * operands.v[key * 64 + i];
      }
      for (std::uint32_t i = 0; i < 64; ++i) o[row * 64 + i] /= sum;
    }
    const auto check = [&](Exponential exponential) {
      return workloads::check_attention(kSmall, operands, exponential, Rescaling::kFactor, {65, 65, 4, 1}, o);
    };
    CHECK(check(Exponential::kExact).output.correct);
    CHECK(check(Exponential::kExact).undetermined == 0);
    o[64 * 77 + 5] += 2.5f;  // no average of V
    CHECK(check(Exponential::kExact).output.wrong == 1);
    // The polynomial gives large weights to small scores: the errors of all of them add up to more than the sum.
    CHECK(check(Exponential::kPolynomial).undetermined == o.size());
    CHECK_FALSE(check(Exponential::kPolynomial).output.correct);
  }
}

TEST_CASE("swizzled operands have the words of a tensor core's lanes side by side") {
  workloads::AttentionDesign design;
  design.element = workloads::Element::kFp16;
  design.layout = workloads::AttentionLayout::kSwizzled;
  constexpr AttentionSize kSmall{128, 64};
  const AttentionOperands operands = workloads::make_attention_operands(kSmall, 7, 1, design.element);
  const workloads::AttentionMemory memory = workloads::attention_memory(design, kSmall, operands);
  const auto q = workloads::decoded(memory.q, design.element),
             k = workloads::decoded(memory.k, design.element);
  REQUIRE(q.size() == operands.q.size());
  // Q: row 1, elements 4 and 5 change places with row 2, elements 2 and 3. K: of keys 0 and 1 elements 0 and 1 of d.
  CHECK((q[1 * 64 + 4] == operands.q[2 * 64 + 2] && q[2 * 64 + 3] == operands.q[1 * 64 + 5]));
  CHECK((k[0] == operands.k[0] && k[1] == operands.k[1] && k[2] == operands.k[64]));
  design.layout = workloads::AttentionLayout::kDecoupled;
  const auto decoupled =
      workloads::decoded(workloads::attention_memory(design, kSmall, operands).k, design.element);
  // The first block of 32 bytes has columns 0 and 1 of K: eight elements of keys 0 and 8.
  CHECK(
      (decoupled[0] == operands.k[0] && decoupled[7] == operands.k[7] && decoupled[8] == operands.k[8 * 64]));
  design.layout = workloads::AttentionLayout::kRowMajor;
  const auto plain =
      workloads::decoded(workloads::attention_memory(design, kSmall, operands).k, design.element);
  CHECK((plain[0] == operands.k[0] && plain[1] == operands.k[64] && plain[128] == operands.k[1]));
}

TEST_CASE("sizes the attention kernels cannot compute are a user error") {
  workloads::AttentionDesign design, shorter;
  shorter.longest = 4095;
  CHECK_NOTHROW(workloads::check_attention_size(design, {128, 64}));
  CHECK_NOTHROW(workloads::check_attention_size(design, {1024, 64, 128}));
  CHECK_NOTHROW(workloads::check_attention_size(shorter, {3968, 64}));
  for (const AttentionSize wrong : {AttentionSize{0, 64},
                                    {64, 64},
                                    {100, 64},
                                    {1000, 64},
                                    {128, 32},
                                    {65664, 64},
                                    {256, 64, 64},
                                    {256, 64, 384}})
    CHECK_THROWS_AS(workloads::check_attention_size(design, wrong), input::UserError);
  CHECK_THROWS_AS(workloads::check_attention_size(shorter, {4096, 64}), input::UserError);
}

TEST_CASE(
    "the attention arguments are those of the published kernels, with the number of queries behind them") {
  const std::vector<unsigned char> block = workloads::attention_arguments({1024, 64, 128});
  REQUIRE(block.size() == 44);
  CHECK(block[40] == 128);
  CHECK(block[1] == 4);  // 1024
  CHECK(block[4] == 64);
  CHECK(block[8 + 3] == 0xA0);
  CHECK(block[16 + 3] == 0xA1);
  CHECK(block[24 + 3] == 0xA2);
  CHECK(block[32 + 3] == 0xC0);
}

TEST_CASE("a causal query has the keys up to its own, and no other one goes unnoticed") {
  AttentionSize size = kSize;
  size.causal = true;
  const AttentionOperands operands = workloads::make_attention_operands(kSize, 5, 1);
  const auto check = [&](const std::vector<float>& o) {
    return workloads::check_attention(size, operands, Exponential::kExact, Rescaling::kFactor, kRoundings, o);
  };
  // Of each query its own number of keys, with all keys of a shorter sequence.
  std::vector<float> o(operands.q.size());
  const auto set_row = [&](std::uint32_t row, std::uint32_t keys) {
    std::vector<double> scores(keys), sums(size.head_dim);
    double sum = 0;
    for (std::uint32_t key = 0; key < keys; ++key) {
      for (std::uint32_t i = 0; i < size.head_dim; ++i)
        scores[key] += operands.q[row * size.head_dim + i] * operands.k[key * size.head_dim + i] / 8.0;
      sum += std::exp(scores[key]);
    }
    for (std::uint32_t i = 0; i < size.head_dim; ++i) {
      double value = 0;
      for (std::uint32_t key = 0; key < keys; ++key)
        value += std::exp(scores[key]) / sum * operands.v[key * size.head_dim + i];
      o[row * size.head_dim + i] = static_cast<float>(value);
    }
  };
  for (std::uint32_t row = 0; row < size.sequence; ++row) set_row(row, row + 1);
  CHECK(check(o).output.correct);
  for (const std::uint32_t row : {0u, 63u, 64u, 200u}) {
    for (const std::uint32_t keys : {row, row + 2}) {
      if (keys == 0) continue;
      set_row(row, keys);
      const workloads::AttentionCheck found = check(o);
      CHECK_FALSE(found.output.correct);
      CHECK(found.output.first_row == row);
    }
    set_row(row, row + 1);
  }
  CHECK_FALSE(check(attention(operands, Exponential::kExact)).output.correct);
}

TEST_CASE("multiply-adds of causal attention are those of the keys that are seen, of all heads") {
  AttentionSize size{256, 64};
  CHECK(size.macs() == 2ull * 256 * 256 * 64);
  size.heads = 3;
  CHECK(size.macs() == 3 * 2ull * 256 * 256 * 64);
  size.causal = true;
  CHECK(size.macs() == 3 * 2ull * (256 * 257 / 2) * 64);
  size.queries = 128;
  CHECK(size.macs() == 3 * 2ull * (128 * 129 / 2) * 64);
  CHECK(size.text() == "3 heads of 256x64, 128 queries, causal");
}

TEST_CASE("the argument block of several heads has their number and distances behind that of one") {
  AttentionSize size{256, 64};
  const std::vector<unsigned char> one = workloads::attention_arguments(size, workloads::Element::kFp16);
  CHECK(one.size() == 44);
  size.heads = 5;
  const std::vector<unsigned char> several = workloads::attention_arguments(size, workloads::Element::kFp16);
  REQUIRE(several.size() == 56);
  CHECK(std::equal(one.begin(), one.end(), several.begin()));
  const auto word = [&](std::size_t at) {
    return several[at] | several[at + 1] << 8 | several[at + 2] << 16 | several[at + 3] << 24;
  };
  CHECK(word(44) == 5);
  CHECK(word(48) == 256 * 64 * 2);
  CHECK(word(52) == 256 * 64 * 4);
}
