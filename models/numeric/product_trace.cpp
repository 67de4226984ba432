// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/numeric/product_sum.h"

namespace spica::numeric {

void ProductSum::record(const Number* a, const Number* b, unsigned count, unsigned first_k, std::uint32_t c,
                        std::uint32_t result, std::vector<StepTrace>& trace) const {
  StepTrace step;
  step.c = c;
  step.result = result;
  step.aligned = rule_.adder == Adder::kAligned;
  const Number addend = sum_number(rule_.result, c);
  int most = std::max<int>(rule_.floor, addend.exponent);
  for (unsigned k = 0; k < count; ++k) most = std::max(most, a[k].exponent + b[k].exponent);
  step.aligned = step.aligned && most < Number::kSpecial / 2 && most > Number::kZero / 2;
  if (step.aligned) {
    step.exponent = most;
    step.grid = most - rule_.fraction_bits;
  }
  const auto add = [&](int k, std::int64_t significand, int exponent, double value) {
    if (value == 0) return;
    double kept = value;
    if (step.aligned)
      kept = std::ldexp(
          static_cast<double>(
              cut(significand, Term::kFractionBits - rule_.fraction_bits + most - exponent, rule_.align)),
          step.grid);
    step.addends.push_back({k, exponent, value, kept});
  };
  add(-1, static_cast<std::int64_t>(addend.significand) << Number::kFractionBits, addend.exponent,
      static_cast<double>(addend.value));
  for (unsigned k = 0; k < count; ++k)
    add(static_cast<int>(first_k + k), product(a[k], b[k]), a[k].exponent + b[k].exponent,
        static_cast<double>(a[k].value) * static_cast<double>(b[k].value));
  trace.push_back(std::move(step));
}

}  // namespace spica::numeric
