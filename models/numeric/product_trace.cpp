// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "models/numeric/product_sum.h"

namespace spica::numeric {

namespace {

using Addends = std::vector<StepTrace::Addend>;

/// A multiple of 2^grid. Exact: no value has more than 53 bits.
double cut_to(double value, int grid, Rounding toward) {
  const double multiple = std::ldexp(value, -grid);
  return std::ldexp(toward == Rounding::kDown ? std::floor(multiple) : std::trunc(multiple), grid);
}

double kept_of(const StepTrace& step) {
  double sum = 0;
  for (const StepTrace::Addend& addend : step.addends) sum += addend.kept;
  return sum;
}

}  // namespace

StepTrace StepTrace::of_aligned(Addends addends, int floor, unsigned bits, Rounding toward) {
  StepTrace step;
  step.aligned = !addends.empty();
  step.exponent = floor;
  for (const Addend& addend : addends) step.exponent = std::max(step.exponent, addend.exponent);
  step.grid = step.exponent - static_cast<int>(bits);
  for (Addend& addend : addends) addend.kept = cut_to(addend.value, step.grid, toward);
  step.addends = std::move(addends);
  return step;
}

/// Appends the alignment of products, and returns that of their sum and C.
StepTrace ProductSum::record_twice(Addends products, const Number& c, std::vector<StepTrace>& trace) const {
  const bool is_odd_even = rule_.adder == Adder::kOddEven;
  Addends sums;
  const auto add_sum = [&](Addends addends, Rounding toward) {
    if (addends.empty()) return;
    StepTrace step = StepTrace::of_aligned(std::move(addends), Number::kZero, rule_.fraction_bits, toward);
    step.is_partial = true;
    const double sum = kept_of(step);
    sums.push_back({StepTrace::kSum, step.exponent, sum, sum});
    trace.push_back(std::move(step));
  };
  if (is_odd_even) {
    Addends of_parity[2];
    for (const StepTrace::Addend& product : products)
      of_parity[static_cast<unsigned>(product.k) % 2].push_back(product);
    for (Addends& addends : of_parity) add_sum(std::move(addends), Rounding::kZero);
    add_sum(std::exchange(sums, {}), Rounding::kDown);
  } else {
    add_sum(std::move(products), Rounding::kZero);
  }
  if (c.significand != 0)
    sums.push_back({StepTrace::kC, c.exponent, static_cast<double>(c.value), static_cast<double>(c.value)});
  StepTrace step = StepTrace::of_aligned(std::move(sums), rule_.floor, kSumBits, Rounding::kDown);
  for (StepTrace::Addend& addend : step.addends) {
    if (addend.k != StepTrace::kC) continue;  // C is cut at the bit of the products
    addend.kept = is_odd_even && addend.exponent < step.exponent - kFarBits
                      ? 0
                      : cut_to(addend.value, step.exponent - rule_.fraction_bits, Rounding::kDown);
  }
  return step;
}

void ProductSum::record(const Number* a, const Number* b, unsigned count, unsigned first_k, std::uint32_t c,
                        std::uint32_t result, std::vector<StepTrace>& trace) const {
  const Number addend = sum_number(rule_.result, c);
  bool is_special = addend.is_special();
  Addends products;
  for (unsigned k = 0; k < count; ++k) {
    const bool is_own_special = a[k].is_special() || b[k].is_special();
    const int exponent = a[k].exponent + b[k].exponent;
    const double value =
        is_own_special ? static_cast<double>(a[k].value) * static_cast<double>(b[k].value)
                       : std::ldexp(static_cast<double>(product(a[k], b[k])), exponent - Term::kFractionBits);
    is_special =
        is_special || is_own_special || (rule_.adder == Adder::kTwoAlignments && std::fabs(value) >= 0x1p128);
    if (value != 0) products.push_back({static_cast<int>(first_k + k), exponent, value, value});
  }
  StepTrace step;
  if (!is_special && (rule_.adder == Adder::kTwoAlignments || rule_.adder == Adder::kOddEven)) {
    step = record_twice(std::move(products), addend, trace);
  } else {
    const auto own = static_cast<double>(addend.value);
    if (own != 0) products.insert(products.begin(), {StepTrace::kC, addend.exponent, own, own});
    if (!is_special && rule_.adder == Adder::kAligned)
      step = StepTrace::of_aligned(std::move(products), rule_.floor, rule_.fraction_bits, rule_.align);
    else step.addends = std::move(products);
  }
  step.c = c;
  step.result = result;
  trace.push_back(std::move(step));
}

}  // namespace spica::numeric
