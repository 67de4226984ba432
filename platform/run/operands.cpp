// SPDX-License-Identifier: Apache-2.0
#include "platform/run/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "platform/loader/user_error.h"

namespace spica::run {

std::string GemmSize::text() const { return fmt::format("{}x{}x{}", m, n, k); }

GemmSize parse_gemm_size(const std::string& text) {
  GemmSize size;
  char rest = 0;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789x") == std::string::npos;
  unsigned long m = 0, n = 0, k = 0;
  bool good = false;
  if (digits && std::sscanf(text.c_str(), "%7lux%7lux%7lu%c", &m, &n, &k, &rest) == 3) {
    good = true;
  } else if (digits && std::sscanf(text.c_str(), "%7lu%c", &m, &rest) == 1) {
    n = k = m;
    good = true;
  }
  if (!good || m == 0 || n == 0 || k == 0)
    throw loader::UserError(
        fmt::format("size '{}' is not MxNxK, for example 256x256x256, or one number for a cube", text));
  size.m = static_cast<std::uint32_t>(m);
  size.n = static_cast<std::uint32_t>(n);
  size.k = static_cast<std::uint32_t>(k);
  return size;
}

std::vector<float> make_operand(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(static_cast<std::int64_t>(generator() >> 40) - (1 << 23)) * 0x1p-23f;
  return values;
}

std::vector<float> transposed(const std::vector<float>& matrix, std::uint32_t rows, std::uint32_t columns) {
  std::vector<float> result(matrix.size());
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::uint64_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  return result;
}

GemmCheck check_gemm(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c) {
  return check_gemm(size, a, b, c, (size.k + 2) * 0x1p-24, 0);
}

GemmCheck check_gemm(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c, double relative, double absolute) {
  GemmCheck check;
  std::vector<double> sums(size.n), magnitudes(size.n);
  double worst_ratio = -1;
  for (std::uint32_t i = 0; i < size.m; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(magnitudes.begin(), magnitudes.end(), 0.0);
    for (std::uint32_t k = 0; k < size.k; ++k) {
      const double left = a[std::uint64_t{i} * size.k + k];
      const double left_magnitude = std::fabs(left);
      const float* row = &b[std::uint64_t{k} * size.n];
      for (std::uint32_t j = 0; j < size.n; ++j) {
        const double right = row[j];
        sums[j] += left * right;
        magnitudes[j] += left_magnitude * std::fabs(right);
      }
    }
    for (std::uint32_t j = 0; j < size.n; ++j) {
      const double value = c[std::uint64_t{i} * size.n + j];
      const double error = std::fabs(value - sums[j]);
      const double allowed = relative * magnitudes[j] + absolute;
      if (!(error <= allowed)) {  // also catches NaN
        if (check.wrong++ == 0) {
          check.first_row = i;
          check.first_column = j;
          check.first_value = value;
          check.first_expected = sums[j];
        }
      }
      const double ratio = allowed > 0 ? error / allowed : error;
      if (ratio > worst_ratio) {
        worst_ratio = ratio;
        check.largest_error = error;
        check.allowed_at_largest = allowed;
      }
    }
  }
  check.correct = check.wrong == 0;
  return check;
}

}  // namespace spica::run
