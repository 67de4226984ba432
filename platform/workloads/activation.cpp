// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/activation.h"

#include <cmath>

#include "platform/workloads/arithmetic.h"

namespace spica::workloads {

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone: break;
    case Activation::kSwish: return x / (1 + std::exp(-x));
    case Activation::kRelu: return x > 0 ? x : 0;
    case Activation::kGelu: return x / (1 + std::exp(-1.702 * x));
  }
  return x;
}

Tolerance activated(Activation activation, const Tolerance& product) {
  if (is_exact(activation)) return product;
  constexpr double kSlope = 1.1, kOverflow = 3e-37;
  const double constant = activation == Activation::kGelu ? 0.52 * 0x1p-24 : 0;
  return {kSlope * product.magnitudes, kSlope * product.result + 4 * 0x1p-24,
          kSlope * product.absolute + kOverflow + constant, product.largest};
}

std::vector<bool> differences(Activation activation, const std::vector<float>& product,
                              const std::vector<float>& c) {
  if (activation == Activation::kNone) return differences(product, c);
  const Tolerance own = activated(activation, Tolerance{});
  std::vector<bool> different(product.size());
  for (std::size_t i = 0; i < product.size(); ++i)
    different[i] = !is_within(own, c[i], activated(activation, static_cast<double>(product[i])), 0);
  return different;
}

}  // namespace spica::workloads
