// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// The function that a kernel applies to each element of its product.
enum class Activation : std::uint8_t {
  kNone,
  kSwish,  // x / (1 + exp(-x))
  kRelu,   // max(x, 0)
  kGelu,   // x / (1 + exp(-1.702 x)) (hendrycks 2)
};
/// The values of the option. Their functions are in sw/lib/include/activation.h.
inline constexpr base::Choices kActivations{base::Choice<Activation>{"none", Activation::kNone},
                                            base::Choice<Activation>{"relu", Activation::kRelu},
                                            base::Choice<Activation>{"gelu", Activation::kGelu},
                                            base::Choice<Activation>{"swish", Activation::kSwish}};
/// True if it does not round.
constexpr bool is_exact(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu;
}

/// The function in double precision.
double activated(Activation activation, double x);

/// The tolerance of an activated element, if the product itself is within `product`. With u = 2^-24 and swish s(x) = x
/// / (1 + exp(-x)):
///
///   the product's error    times the largest slope of s, 1.0998
///   exponential            2 u, one unit in the last place
///   1 + exponential        1 u; errors of the exponential are not amplified
///   quotient               1 u
///   large negative x       where exp(-x) overflows, below x = -88.7, the kernel gives -0: 3e-37
///
/// and gelu g(x) = s(1.702 x) / 1.702: the same slope; the constant and the product are rounded before the exponential,
/// which adds at most 2 u of 1.702 x, or 0.52 u of the result. For max(x, 0), only the product's error.
Tolerance activated(Activation activation, const Tolerance& product);

/// The elements of `c` that differ from the activated elements of `product`, which is bit-exact, by more than the
/// activation's own rounding errors; without activation, by any bit.
std::vector<bool> differences(Activation activation, const std::vector<float>& product,
                              const std::vector<float>& c);

}  // namespace spica::workloads
