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
    constexpr base::Range kExtent{1, 9'999'999};  // seven digits, as parse_gemm_size() reads
    field("m", p.m, "", kExtent, "rows of A and C");
    field("n", p.n, "", kExtent, "columns of B and C");
    field("k", p.k, "", kExtent, "columns of A, rows of B");
  }
};

/// Parses "256x384x128" or "256" (cube). Throws UserError.
GemmSize parse_gemm_size(const std::string& text);
/// Several of them, with + between: "256x256x256+128x128x256".
std::vector<GemmSize> parse_gemm_sizes(const std::string& text);
std::string sizes_text(const std::vector<GemmSize>& sizes);

/// How a matrix element is stored in guest memory. On the host all values are float.
using Element = numeric::Format;
/// Bytes of an element that occupies whole bytes.
inline std::uint32_t element_bytes(Element element) { return numeric::info(element).stored_bits / 8; }
std::string element_name(Element element);  // FP32

/// Values of one operand: uniform in [-1, 1) on a grid of 2^-23 (FP32) or 2^-10 (FP16), the same on every
/// host for a seed. Of other formats those of FP32, rounded.
std::vector<float> make_operand(std::uint64_t count, std::uint64_t seed, Element element = Element::kFp32);
/// The nearest values of the format; beyond the largest the largest, but infinities stay infinite where the format has
/// them.
std::vector<float> rounded(std::vector<float> values, Element element);
/// The scale of a tensor: its largest finite magnitude over the largest number of the format, so that an element means
/// scale times what it is.
double tensor_scale(const std::vector<float>& values, Element element);
/// Whether they are numbers of the format without a scale: of one of integers, all in its range.
bool are_integers_of(const std::vector<float>& values, Element element);
/// The numbers over `scale`, rounded.
std::vector<float> quantised(std::vector<float> values, Element element, double scale);

/// Values as they are stored in memory, little endian; values that the format cannot hold are rounded to nearest even,
/// integers of 32 bits to FP32 when they come back as such.
std::vector<unsigned char> encoded(const std::vector<float>& values, Element element);
std::vector<std::int32_t> decoded_integers(const std::vector<unsigned char>& bytes);
std::vector<float> decoded(const std::vector<unsigned char>& bytes, Element element);

/// How much an element may differ from the double-precision reference:
///   magnitudes * sum |a*b| + result * |c| + absolute
struct Tolerance {
  double magnitudes = 0;
  double result = 0;
  double absolute = 0;
  /// Largest number of the formats of sums and results: larger values become infinite, or NaN.
  double largest = std::numeric_limits<float>::max();
};
/// Of an element of C: a reference that is NaN must be met, one that is infinite by itself or NaN; where sum |a*b|,
/// `magnitude`, is beyond Tolerance::largest, NaN and infinities are right.
bool is_within(const Tolerance& tolerance, double value, double wanted, double magnitude);
/// The bound for any order of single-precision multiply-adds along k: roundings of 2^-24, and of 2^-150 of the smallest
/// numbers.
inline Tolerance single_precision(std::uint32_t k) { return {(k + 2) * 0x1p-24, 0, (k + 2) * 0x1p-150}; }

/// What comparing a result with the double-precision reference gave, and with the hardware's own order
/// (arithmetic.h) where it was computed.
struct GemmCheck {
  bool correct = false;
  double largest_error = 0;  // |c - reference|
  double allowed_at_largest = 0;  // bound at that element
  std::uint64_t wrong = 0;  // elements outside their bound
  std::uint64_t between_rows = 0;  // that were written and belong to no row
  std::uint32_t first_row = 0, first_column = 0;  // of the first wrong element
  double first_value = 0, first_expected = 0;
  // Elements that are not bit for bit what the hardware's order gives (with an activation: activation.h).
  std::uint64_t different_bits = 0;
  // Over all elements, whatever is allowed.
  double max_error = 0, squared_errors = 0;
};

/// How far a result is from the product of operands before they were rounded to a format, absolute.
struct FormatErrors {
  double max = 0, rms = 0;
};
/// Those of a check of all `elements` against such a product.
FormatErrors format_errors(const GemmCheck& check, double elements);

/// Both products of one run in one: errors are counted together, the first wrong element and the worst error
/// are those of `all`, unless it has none or a smaller one.
void add(GemmCheck& all, const GemmCheck& one);

/// Compares with a double-precision product, of which `expected` makes what the elements of C should be, by their
/// column. `differs`: elements whose bits are not those of the hardware's order; all others are right, whatever the
/// bound. None: the bound decides. Errors are those of finite elements.
GemmCheck check_gemm(
    const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
    const std::vector<float>& c, const Tolerance& tolerance,
    const std::function<double(double, std::uint32_t)>& expected = [](double sum,
                                                                      std::uint32_t) { return sum; },
    const std::vector<bool>* differs = nullptr);

}  // namespace spica::workloads
