// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::run {

/// Size of a matrix product C[m x n] = A[m x k] * B[k x n], all row-major.
struct GemmSize {
  std::uint32_t m = 256, n = 256, k = 256;
  std::uint64_t macs() const { return std::uint64_t{m} * n * k; }
  std::string text() const;
};

/// Parses "256x384x128" or "256" (cube). Throws UserError.
GemmSize parse_gemm_size(const std::string& text);

/// Values of one operand: uniform in [-1, 1) on a grid of 2^-23, the same on every host for a seed.
std::vector<float> make_operand(std::uint64_t count, std::uint64_t seed);

/// The same matrix with rows and columns exchanged: `rows` x `columns`, row-major, becomes column-major.
std::vector<float> transposed(const std::vector<float>& matrix, std::uint32_t rows, std::uint32_t columns);

/// What comparing a result with the double-precision reference gave, and with the hardware's own order
/// (arithmetic.h) where somebody did.
struct GemmCheck {
  bool correct = false;
  double largest_error = 0;        // |c - reference|
  double allowed_at_largest = 0;   // bound at that element
  std::uint64_t wrong = 0;         // elements outside their bound
  std::uint32_t first_row = 0, first_column = 0;  // of the first wrong element
  double first_value = 0, first_expected = 0;
  std::uint64_t different_bits = 0;  // elements that are not bit for bit what the hardware's order gives
};

/// Compares with a double-precision product. An element may differ by (k + 2) * 2^-24 * sum |a*b|, the
/// bound for any order of single-precision multiply-adds of that length.
GemmCheck check_gemm(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c);
/// The same with another bound: `relative` * sum |a*b| + `absolute`.
GemmCheck check_gemm(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c, double relative, double absolute);

}  // namespace spica::run
