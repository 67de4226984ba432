// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "models/base/params.h"
#include "models/numeric/format.h"

namespace spica::workloads {

/// Size of a matrix product C[m x n] = A[m x k] * B[k x n], all row-major.
struct GemmSize {
  std::uint32_t m = 256, n = 256, k = 256;
  std::uint64_t macs() const { return std::uint64_t{m} * n * k; }
  std::string text() const;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    constexpr base::Range kExtent{1, 9'999'999};  // at most seven digits, as parse_gemm_size() reads
    field("m", p.m, "", kExtent, "rows of A and C");
    field("n", p.n, "", kExtent, "columns of B and C");
    field("k", p.k, "", kExtent, "columns of A, rows of B");
  }
};

/// Parses "256x384x128" or "256" (cube). Throws UserError.
GemmSize parse_gemm_size(const std::string& text);
/// Several sizes separated by +: "256x256x256+128x128x256".
std::vector<GemmSize> parse_gemm_sizes(const std::string& text);
std::string sizes_text(const std::vector<GemmSize>& sizes);

/// The format of a matrix element in guest memory. On the host all values are float.
using Element = numeric::Format;
/// Bytes of an element with a whole number of bytes.
inline std::uint32_t element_bytes(Element element) { return numeric::info(element).stored_bits / 8; }
std::string element_name(Element element);  // FP32

/// Values of one operand: uniform in [-1, 1) on a grid of 2^-23 (FP32) or 2^-10 (FP16), the same on every host for a
/// seed. Other formats: those of FP32, rounded.
std::vector<float> make_operand(std::uint64_t count, std::uint64_t seed, Element element = Element::kFp32);
/// The nearest values of the format, saturated; infinities remain if the format has them.
std::vector<float> rounded(std::vector<float> values, Element element);
/// The scale of a tensor: its largest finite magnitude divided by the largest number of the format; an element
/// represents scale times its number.
double tensor_scale(const std::vector<float>& values, Element element);
/// True if the values are numbers of the format without a scale: it is an integer format, and all are in its range.
bool are_integers_of(const std::vector<float>& values, Element element);
/// The values divided by `scale`, rounded.
std::vector<float> quantised(std::vector<float> values, Element element, double scale);

/// Values in memory format, little endian; values that the format cannot represent are rounded to nearest even, 32-bit
/// integers to FP32 when they are read back.
std::vector<unsigned char> encoded(const std::vector<float>& values, Element element);
std::vector<float> decoded(const std::vector<unsigned char>& bytes, Element element);

/// The tolerance of an element relative to the double-precision reference:
///   magnitudes * sum |a*b| + result * |c| + absolute
struct Tolerance {
  double magnitudes = 0;
  double result = 0;
  double absolute = 0;
  /// The largest number of the formats of sums and results: larger values become infinite, or NaN.
  double largest = std::numeric_limits<float>::max();
};
/// Compares an element of C with the reference `wanted`. If `wanted` is infinite or NaN, `value` must match it; if sum
/// |a*b| (`magnitude`) exceeds Tolerance::largest, NaN and infinities are right.
bool is_within(const Tolerance& tolerance, double value, double wanted, double magnitude);
/// The bound for any order of single-precision multiply-adds along k: rounding errors of 2^-24, and of 2^-150 for the
/// smallest numbers.
inline Tolerance single_precision(std::uint32_t k) { return {(k + 2) * 0x1p-24, 0, (k + 2) * 0x1p-150}; }

/// The result of a comparison with the double-precision reference and, if computed, with the hardware's own order
/// (arithmetic.h).
struct GemmCheck {
  bool correct = false;
  double largest_error = 0;  // |c - reference|
  double allowed_at_largest = 0;  // bound at that element
  std::uint64_t wrong = 0;  // elements outside their bound
  std::uint64_t between_rows = 0;  // overwritten elements that belong to no row
  std::uint32_t first_row = 0, first_column = 0;  // of the first wrong element
  double first_value = 0, first_expected = 0;
  // Elements that differ in any bit from the result of the hardware's order (with an activation: activation.h).
  std::uint64_t different_bits = 0;
  // Over all elements, regardless of the bounds.
  double max_error = 0, squared_errors = 0;
};

/// Absolute errors of a result relative to the product of the operands before rounding to a format.
struct FormatErrors {
  double max = 0, rms = 0;
};
/// The errors of a check of all `elements` against such a product.
FormatErrors format_errors(const GemmCheck& check, double elements);

/// Adds the check of another product of the run: errors are summed; the first wrong element and the largest error are
/// those of `all`, unless it has none or a smaller one.
void add(GemmCheck& all, const GemmCheck& one);

/// Compares with a double-precision product, which `expected` converts to elements of C, by column. `differs`: elements
/// that differ in any bit from the hardware's order; all others are right, regardless of the bound. Empty: the bound
/// decides. Errors are those of finite elements.
GemmCheck check_gemm(
    const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
    const std::vector<float>& c, const Tolerance& tolerance,
    const std::function<double(double, std::uint32_t)>& expected = [](double sum,
                                                                      std::uint32_t) { return sum; },
    const std::vector<bool>* differs = nullptr);

}  // namespace spica::workloads
