// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "models/numeric/half.h"
#include "platform/loader/user_error.h"

namespace spica::workloads {

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

std::vector<GemmSize> parse_gemm_sizes(const std::string& text) {
  std::vector<GemmSize> sizes;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find('+', begin);
    sizes.push_back(parse_gemm_size(text.substr(begin, end - begin)));
  }
  return sizes;
}

std::string sizes_text(const std::vector<GemmSize>& sizes) {
  std::string text;
  for (const GemmSize& size : sizes) text += (text.empty() ? "" : "+") + size.text();
  return text;
}

std::vector<float> make_operand(std::uint64_t count, std::uint64_t seed, Element element) {
  std::mt19937_64 generator(seed);
  // Bits after the point: as many as the format holds below 1.
  const int bits = element == Element::kFp32 ? 23 : 10;
  const auto one = std::int64_t{1} << bits;
  std::vector<float> values(count);
  const float unit = std::ldexp(1.0f, -bits);  // exact: a power of two
  for (float& value : values)
    value = static_cast<float>(static_cast<std::int64_t>(generator() >> (63 - bits)) - one) * unit;
  return values;
}

std::vector<unsigned char> encoded(const std::vector<float>& values, Element element) {
  std::vector<unsigned char> bytes(values.size() * element_bytes(element));
  if (element == Element::kFp32) {
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = numeric::half_from_float(values[i]);
    std::memcpy(&bytes[2 * i], &half, 2);
  }
  return bytes;
}

std::vector<float> decoded(const std::vector<unsigned char>& bytes, Element element) {
  std::vector<float> values(bytes.size() / element_bytes(element));
  if (element == Element::kFp32) {
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half;
    std::memcpy(&half, &bytes[2 * i], 2);
    values[i] = numeric::float_from_half(half);
  }
  return values;
}

void add(GemmCheck& all, const GemmCheck& one) {
  if (all.wrong == 0 && one.wrong != 0) {
    all.first_row = one.first_row;
    all.first_column = one.first_column;
    all.first_value = one.first_value;
    all.first_expected = one.first_expected;
  }
  // Worse: a larger part of what is allowed.
  if (one.largest_error * all.allowed_at_largest > all.largest_error * one.allowed_at_largest) {
    all.largest_error = one.largest_error;
    all.allowed_at_largest = one.allowed_at_largest;
  }
  all.wrong += one.wrong;
  all.different_bits += one.different_bits;
  all.correct = all.correct && one.correct;
}

namespace {

// Exists twice, for hosts with vectors of four doubles and for any; the loader chooses. Same bits: in the order of k, and
// a product of two floats is exact, so that a fused multiply-add rounds as a multiplication and an addition do.
#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v3", "default"), optimize("fp-contract=fast")))
#endif
void add_products(const float* left, const float* right, double* sums, double* magnitudes, const GemmSize& size) {
  constexpr std::uint32_t kAtATime = 4;  // a sum is read and written once for so many products
  std::uint32_t k = 0;
  for (; k + kAtATime <= size.k; k += kAtATime, right += std::uint64_t{kAtATime} * size.n) {
    const double l[kAtATime] = {left[k], left[k + 1], left[k + 2], left[k + 3]};
    for (std::uint32_t j = 0; j < size.n; ++j) {
      double sum = sums[j], magnitude = magnitudes[j];
      for (std::uint32_t i = 0; i < kAtATime; ++i) {
        const double r = right[std::uint64_t{i} * size.n + j];
        sum += l[i] * r;
        magnitude += std::fabs(l[i]) * std::fabs(r);
      }
      sums[j] = sum;
      magnitudes[j] = magnitude;
    }
  }
  for (; k < size.k; ++k, right += size.n) {
    for (std::uint32_t j = 0; j < size.n; ++j) {
      const double product = static_cast<double>(left[k]) * static_cast<double>(right[j]);
      sums[j] += product;
      magnitudes[j] += std::fabs(product);
    }
  }
}

}  // namespace

GemmCheck check_gemm(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c, const Tolerance& tolerance,
                     const std::function<double(double)>& expected) {
  GemmCheck check;
  std::vector<double> sums(size.n), magnitudes(size.n);
  double worst_ratio = -1;
  for (std::uint32_t i = 0; i < size.m; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(magnitudes.begin(), magnitudes.end(), 0.0);
    add_products(&a[std::uint64_t{i} * size.k], b.data(), sums.data(), magnitudes.data(), size);
    for (std::uint32_t j = 0; j < size.n; ++j) {
      sums[j] = expected(sums[j]);
      const double value = c[std::uint64_t{i} * size.n + j];
      const double error = std::fabs(value - sums[j]);
      const double allowed =
          tolerance.magnitudes * magnitudes[j] + tolerance.result * std::fabs(sums[j]) + tolerance.absolute;
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

}  // namespace spica::workloads
