// SPDX-License-Identifier: Apache-2.0
// The steps of an explained sum: what is kept of the terms of a step is what the step rounds to its result.
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/numeric/draws.h"

using namespace spica::numeric;

namespace {

double kept_of(const StepTrace& step) {
  double sum = 0;
  for (const auto& addend : step.addends) sum += addend.kept;
  return sum;
}

/// The word to which a step rounds what it kept.
std::uint32_t rounded(const SumRule& rule, const StepTrace& step) {
  const double sum = kept_of(step), units = std::ldexp(std::fabs(sum), -step.grid);
  REQUIRE(units == std::floor(units));
  return rounded_sum(sum < 0, static_cast<std::uint64_t>(units), step.grid, false, rule.result, rule.round);
}

/// Counts the steps that align; returns the last word.
std::uint32_t check_steps(const SumRule& rule, const std::vector<StepTrace>& steps, unsigned& aligned) {
  double partial = 0;
  for (const StepTrace& step : steps) {
    double sums = 0;
    bool has_sums = false;
    for (const auto& addend : step.addends) {
      if (addend.k != StepTrace::kSum) continue;
      sums += addend.value;
      has_sums = true;
    }
    if (has_sums || !step.is_partial) CHECK(sums == std::exchange(partial, 0));
    if (step.is_partial) {
      partial += kept_of(step);
      continue;
    }
    if (!step.aligned) continue;
    CHECK(rounded(rule, step) == step.result);
    ++aligned;
  }
  return steps.back().result;
}

}  // namespace

TEST_CASE("what is kept of the terms of a step is its result, before it is rounded") {
  std::mt19937 random(77);
  unsigned explained = 0;
  for (const Silicon& silicon : all_silicon()) {
    for (const SiliconRule& known : silicon_rules()) {
      if (known.silicon != silicon.family || known.instruction != silicon.instruction) continue;
      if (known.rule.result == SumResult::kFp64 || known.rule.adder == Adder::kInteger) continue;
      const std::string key(known.operands.substr(0, known.operands.find(' ')));
      const Mma mma(known.rule, *operand_info(key));
      const FormatInfo& element = *mma.operands().element;
      const std::size_t k = 128, blocks = mma.has_scales() ? k / mma.operands().scale_block : 0;
      unsigned aligned = 0;
      for (unsigned i = 0; i < spica::testbench::draws(200); ++i) {
        std::vector<std::uint32_t> a(k), b(k);
        for (auto* const words : {&a, &b})
          for (std::uint32_t& word : *words) {
            word = static_cast<std::uint32_t>(random());
            if (element.bits < 32) word &= (1u << element.bits) - 1;
            if (i % 4 != 0 && number_of(element, word).is_special()) word = 0;
            // FP32, TF32 and BF16 within the range of their products
            const unsigned place = element.stored_bits == 32 ? 23 : element.fraction_bits;
            if (element.exponent_bits == 8) word = (word & ~(0xFFu << place)) | (100 + word % 50) << place;
          }
        std::vector<std::uint8_t> scale_a(blocks), scale_b(blocks);
        for (auto* const scales : {&scale_a, &scale_b})
          for (std::uint8_t& scale : *scales) scale = static_cast<std::uint8_t>(112 + random() % 12);
        const std::uint32_t c = known.rule.result == SumResult::kFp16
                                    ? static_cast<std::uint32_t>(random()) & 0x3FFF
                                    : (120 + random() % 12) << 23 | (random() & 0x7F'FFFF);
        std::uint32_t d = 0;
        if (mma.has_scales()) mma(a.data(), b.data(), scale_a.data(), scale_b.data(), &c, &d, 1, 1, k);
        else mma(a.data(), b.data(), &c, &d, 1, 1, k);
        CAPTURE(silicon.key, key, i, c, d);
        const auto steps = mma.explain(a.data(), b.data(), k, c, mma.has_scales() ? scale_a.data() : nullptr,
                                       mma.has_scales() ? scale_b.data() : nullptr);
        REQUIRE(check_steps(known.rule, steps, aligned) == d);
      }
      const bool aligns = known.rule.adder != Adder::kTree && known.rule.adder != Adder::kExact &&
                          known.rule.adder != Adder::kChain;
      CHECK((aligned > 0) == aligns);
      ++explained;
    }
  }
  CHECK(explained > 50);
}
