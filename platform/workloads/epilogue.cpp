// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/epilogue.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/numeric/convert.h"
#include "platform/workloads/arithmetic.h"

namespace spica::workloads {

namespace {

constexpr double kRoundoff = 0x1p-24;

float lowest(Element element) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  return numeric::value_of(element, numeric::nearest(element, kLowest, numeric::Overflow::kSaturate));
}

/// What the activation gets.
float linear(const Epilogue& epilogue, float sum, float bias) {
  return epilogue.bias ? std::fma(sum, epilogue.scale, bias) : sum * epilogue.scale;
}

float relu(float x) { return x > 0 ? x : 0; }

/// The numbers of the output's format that they become, in place.
void output(const Epilogue& epilogue, std::vector<float>& values) {
  if (epilogue.has_steps())
    for (float& value : values) value = value * epilogue.per_step;
  if (epilogue.output != Element::kFp32)
    numeric::round_all(epilogue.output, numeric::Overflow::kSaturate, values.data(), values.size());
}

}  // namespace

std::vector<std::string> output_formats() {
  std::vector<std::string> keys;
  for (const Element element : {Element::kFp32, Element::kBf16, Element::kFp16, Element::kE4m3,
                                Element::kE5m2, Element::kInt8, Element::kUint8})
    keys.emplace_back(numeric::info(element).key);
  return keys;
}

double finished(const Epilogue& epilogue, double sum, double bias) {
  const double linear = sum * static_cast<double>(epilogue.scale) + bias;
  const double value = activated(epilogue.activation, linear) * static_cast<double>(epilogue.per_step);
  return std::clamp(value, static_cast<double>(lowest(epilogue.output)),
                    static_cast<double>(numeric::largest(epilogue.output)));
}

Tolerance finished(const Epilogue& epilogue, const Tolerance& product, double largest_bias) {
  constexpr double kSecondOrder = 1 + 0x1p-16;  // products of these errors with each other
  constexpr double kTiny = 0x1p-126;            // below it FP32 has fewer bits
  const double scale = static_cast<double>(epilogue.scale), steps = static_cast<double>(epilogue.per_step);
  const Tolerance linear{scale * (product.magnitudes + product.result + kRoundoff), 0,
                         scale * product.absolute + kRoundoff * largest_bias + kTiny, product.largest};
  const Tolerance active = activated(epilogue.activation, linear);
  const numeric::FormatInfo& info = numeric::info(epilogue.output);
  double relative = 0, absolute = 0.5;  // of the output
  if (info.is_float) {
    relative = epilogue.output == Element::kFp32 ? 0 : std::ldexp(0.5, -info.fraction_bits);
    absolute = std::ldexp(relative, info.least_exponent());
  }
  const double grown = (1 + relative) * kSecondOrder;
  const double of_steps = epilogue.has_steps() ? kRoundoff : 0;
  return {steps * active.magnitudes * grown, (active.result + of_steps) * grown + relative,
          steps * active.absolute * grown + absolute, product.largest};
}

std::vector<bool> differences(const Epilogue& epilogue, const std::vector<float>& sums,
                              const std::vector<float>& bias, std::uint32_t columns,
                              const std::vector<float>& c) {
  std::vector<float> x(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    x[i] = linear(epilogue, sums[i], epilogue.bias ? bias[i % columns] : 0);
  if (is_exact(epilogue.activation)) {
    if (epilogue.activation == Activation::kRelu) std::transform(x.begin(), x.end(), x.begin(), relu);
    output(epilogue, x);
    return differences(x, c);
  }
  // Each step behind the activation keeps the order of numbers.
  const Tolerance own = activated(epilogue.activation, Tolerance{});
  std::vector<float> least(x.size()), most(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = activated(epilogue.activation, static_cast<double>(x[i]));
    const double allowed = std::isfinite(exact) ? own.result * std::fabs(exact) + own.absolute : 0;
    least[i] = static_cast<float>(exact - allowed);
    most[i] = static_cast<float>(exact + allowed);
  }
  output(epilogue, least);
  output(epilogue, most);
  std::vector<bool> different(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool both_nan = std::isnan(least[i]) && std::isnan(c[i]);
    different[i] = !both_nan && !(least[i] <= c[i] && c[i] <= most[i]);
  }
  return different;
}

float fitting_step(const Epilogue& epilogue, const std::vector<float>& sums, const std::vector<float>& bias,
                   std::uint32_t rows, std::uint32_t columns, std::uint32_t all_columns) {
  double most = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      const float x = linear(epilogue, sums[i * all_columns + j], epilogue.bias ? bias[j] : 0);
      const double value = std::fabs(activated(epilogue.activation, static_cast<double>(x)));
      if (std::isfinite(value)) most = std::max(most, value);
    }
  }
  const double steps = static_cast<double>(numeric::largest(epilogue.output)) / most;
  return most > 0 && steps < 0x1p100 ? static_cast<float>(steps) : 1;
}

}  // namespace spica::workloads
