// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "models/numeric/bounded.h"
#include "platform/base/input/user_error.h"

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
    throw input::UserError(
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

std::string element_name(Element element) {
  std::string name = numeric::info(element).key;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return std::toupper(c); });
  return name;
}

std::vector<float> rounded(std::vector<float> values, Element element) {
  numeric::bound_finite(element, values.data(), values.size());
  numeric::round_all(element, numeric::bounded_overflow(element), values.data(), values.size());
  return values;
}

double tensor_scale(const std::vector<float>& values, Element element) {
  float most = 0;
  for (const float value : values)
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  return most == 0 ? 1 : static_cast<double>(most) / static_cast<double>(numeric::largest(element));
}

bool are_integers_of(const std::vector<float>& values, Element element) {
  return !numeric::info(element).is_float && rounded(values, element) == values;
}

std::vector<float> quantised(std::vector<float> values, Element element, double scale) {
  if (scale != 1)
    for (float& value : values) value = static_cast<float>(static_cast<double>(value) / scale);
  return rounded(std::move(values), element);
}

std::vector<float> make_operand(std::uint64_t count, std::uint64_t seed, Element element) {
  if (element != Element::kFp32 && element != Element::kFp16)
    return rounded(make_operand(count, seed, Element::kFp32), element);
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
  std::vector<unsigned char> bytes(numeric::stored_bytes(element, values.size()));
  if (element == Element::kInt32) {
    std::vector<std::int32_t> integers(values.size());
    std::transform(values.begin(), values.end(), integers.begin(),
                   [](float value) { return static_cast<std::int32_t>(value); });
    if (!bytes.empty()) std::memcpy(bytes.data(), integers.data(), bytes.size());
    return bytes;
  }
  if (element == Element::kFp32) {
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  numeric::encode(element, numeric::Overflow::kSpecial, values.data(), values.size(), bytes.data());
  return bytes;
}

std::vector<float> decoded(const std::vector<unsigned char>& bytes, Element element) {
  std::vector<float> values(bytes.size() * 8 / numeric::info(element).stored_bits);
  if (element == Element::kInt32) {
    std::vector<std::int32_t> integers(values.size());
    if (!integers.empty()) std::memcpy(integers.data(), bytes.data(), bytes.size());
    std::copy(integers.begin(), integers.end(), values.begin());
    return values;
  }
  if (element == Element::kFp32) {
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  numeric::decode(element, bytes.data(), values.size(), values.data());
  return values;
}

namespace {
double bound(const Tolerance& tolerance, double wanted, double magnitude) {
  return tolerance.magnitudes * magnitude + tolerance.result * std::fabs(wanted) + tolerance.absolute;
}
}  // namespace

bool is_within(const Tolerance& tolerance, double value, double wanted, double magnitude) {
  if (!std::isfinite(wanted)) return std::isnan(value) || value == wanted;  // finite parts may overflow, too
  const double allowed = bound(tolerance, wanted, magnitude);
  if (!std::isfinite(value)) return magnitude + allowed >= tolerance.largest;
  return std::fabs(value - wanted) <= allowed;
}

FormatErrors format_errors(const GemmCheck& check, double elements) {
  return {check.max_error, std::sqrt(check.squared_errors / elements)};
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
  all.between_rows += one.between_rows;
  all.different_bits += one.different_bits;
  all.max_error = std::max(all.max_error, one.max_error);
  all.squared_errors += one.squared_errors;
  all.correct = all.correct && one.correct;
}

namespace {

using Doubles [[gnu::vector_size(32)]] = double;
using Bits [[gnu::vector_size(32)]] = std::int64_t;
constexpr std::uint32_t kColumns = 4;  // of B at a time, those of a vector,
constexpr std::uint32_t kRows = 6;  // and rows of A, which share what is read of B,
constexpr std::uint32_t kTerms = 64;  // along k: as many as stay in the host's cache

/// B with columns of zeros behind the last one, up to a whole vector.
struct Right {
  Right(const GemmSize& size, const std::vector<float>& b)
      : columns((size.n + kColumns - 1) / kColumns * kColumns),
        finite(std::all_of(b.begin(), b.end(), [](float value) { return std::isfinite(value); })) {
    if (columns == size.n) return;
    padded.resize(size.k * columns);
    for (std::uint32_t k = 0; k < size.k; ++k)
      std::copy_n(&b[std::uint64_t{k} * size.n], size.n, &padded[k * columns]);
  }
  std::size_t columns;
  bool finite;
  std::vector<float> padded;  // empty where b is as good
};

/// Some rows of the product, summed up, and of the product of magnitudes.
struct Sums {
  explicit Sums(std::size_t columns) : values(kRows * columns), magnitudes(kRows * columns) {}
  std::vector<double> values, magnitudes;
};

/// Elements of kRows rows of A, and their magnitudes, each in a whole vector. Rows behind the last one are zero.
struct Left {
  Left(const GemmSize& size, const std::vector<float>& a, std::uint32_t row, std::uint32_t k)
      : terms(std::min(kTerms, size.k - k)) {
    std::uint32_t set = 0;  // bits of all elements but their signs
    for (std::uint32_t i = 0; i < kRows; ++i) {
      const float* const from = row + i < size.m ? &a[std::uint64_t{row + i} * size.k + k] : nullptr;
      for (std::uint32_t t = 0; t < terms; ++t) {
        const float element = from != nullptr ? from[t] : 0.0f;
        std::uint32_t bits;
        std::memcpy(&bits, &element, sizeof bits);
        set |= bits & 0x7FFF'FFFF;
        values[t][i] = Doubles{} + static_cast<double>(element);
        magnitudes[t][i] = (Doubles)((Bits)values[t][i] & INT64_MAX);
      }
    }
    is_zero = set == 0;
  }
  std::uint32_t terms;
  bool is_zero;
  Doubles values[kTerms][kRows], magnitudes[kTerms][kRows];
};

// Exists twice, for hosts with vectors of four doubles and for any; the loader chooses. Same bits: in the order of k,
// and a product of two floats is exact, so that a fused multiply-add rounds as a multiplication and an addition do.
#if defined(__x86_64__) && defined(__clang__)
__attribute__((target_clones("arch=x86-64-v3", "default")))
#elif defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v3", "default"), optimize("fp-contract=fast")))
#endif
void add_products(const Left& left, const float* right, std::size_t columns, double* sums,
                  double* magnitudes) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  for (std::size_t j = 0; j < columns; j += kColumns) {
    Doubles sum[kRows], magnitude[kRows];
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < kRows; ++i) {
      std::memcpy(&sum[i], sums + i * columns + j, sizeof sum[i]);
      std::memcpy(&magnitude[i], magnitudes + i * columns + j, sizeof magnitude[i]);
    }
    for (std::uint32_t t = 0; t < left.terms; ++t) {
      const float* const row = right + t * columns + j;
      const Doubles r = {row[0], row[1], row[2], row[3]};
      const Doubles plus = (Doubles)((Bits)r & INT64_MAX);
#pragma GCC unroll 8
      for (std::uint32_t i = 0; i < kRows; ++i) {
        sum[i] += left.values[t][i] * r;
        magnitude[i] += left.magnitudes[t][i] * plus;
      }
    }
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < kRows; ++i) {
      std::memcpy(sums + i * columns + j, &sum[i], sizeof sum[i]);
      std::memcpy(magnitudes + i * columns + j, &magnitude[i], sizeof magnitude[i]);
    }
  }
}

/// Rows `row`, ... of A * B.
void sum_up(const GemmSize& size, const std::vector<float>& a, const Right& right, const float* b,
            std::uint32_t row, Sums& sums) {
  std::fill(sums.values.begin(), sums.values.end(), 0.0);
  std::fill(sums.magnitudes.begin(), sums.magnitudes.end(), 0.0);
  for (std::uint32_t k = 0; k < size.k; k += kTerms) {
    const Left left(size, a, row, k);
    if (left.is_zero && right.finite) continue;  // rows of zeros behind the end of a matrix
    add_products(left, b + k * right.columns, right.columns, sums.values.data(), sums.magnitudes.data());
  }
}

}  // namespace

GemmCheck check_gemm(const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c, const Tolerance& tolerance,
                     const std::function<double(double, std::uint32_t)>& expected,
                     const std::vector<bool>* differs) {
  GemmCheck check;
  const Right right(size, b);
  const float* const rows_of_b = right.padded.empty() ? b.data() : right.padded.data();
  Sums sums(right.columns);
  double worst_ratio = -1;
  for (std::uint32_t i = 0; i < size.m; ++i) {
    if (i % kRows == 0) sum_up(size, a, right, rows_of_b, i, sums);
    const double* const exact = &sums.values[i % kRows * right.columns];
    const double* const magnitudes = &sums.magnitudes[i % kRows * right.columns];
    for (std::uint32_t j = 0; j < size.n; ++j) {
      const std::uint64_t at = std::uint64_t{i} * size.n + j;
      const double wanted = expected(exact[j], j);
      const double value = c[at];
      const double error = std::fabs(value - wanted), allowed = bound(tolerance, wanted, magnitudes[j]);
      const bool within =
          std::isfinite(error) ? error <= allowed : is_within(tolerance, value, wanted, magnitudes[j]);
      if (!within && (differs == nullptr || (*differs)[at])) {
        if (check.wrong++ == 0) {
          check.first_row = i;
          check.first_column = j;
          check.first_value = value;
          check.first_expected = wanted;
        }
      }
      if (!std::isfinite(error) || !std::isfinite(allowed)) continue;
      check.max_error = std::max(check.max_error, error);
      check.squared_errors += error * error;
      const double ratio = allowed > 0 ? error / allowed : error;
      if (ratio > worst_ratio) {
        worst_ratio = ratio;
        check.largest_error = error;
        check.allowed_at_largest = allowed;
      }
    }
  }
  if (differs != nullptr)
    check.different_bits = static_cast<std::uint64_t>(std::count(differs->begin(), differs->end(), true));
  check.correct = check.wrong == 0 && check.different_bits == 0;
  return check;
}

}  // namespace spica::workloads
