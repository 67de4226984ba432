// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/fused_dot.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/base/host_dispatch.h"
#include "models/numeric/half.h"

namespace spica::numeric {

#define SPICA_HOST_VERSION(name)                                                                             \
  namespace name {                                                                                           \
  void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot);                            \
  bool take_apart(const std::uint16_t* halves, std::uint32_t count, float* values, std::int32_t* exponents); \
  bool take_apart(const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count,               \
                  float* values, std::int32_t* exponents);                                                   \
  void gather(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,                    \
              std::uint32_t* to);                                                                            \
  void gather_halves(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,             \
                     std::uint32_t* to);                                                                     \
  void round_to_halves(const float* values, std::uint32_t count, std::uint16_t* halves);                     \
  }
SPICA_HOST_VERSION(baseline)
SPICA_HOST_VERSION(avx2)
#undef SPICA_HOST_VERSION

namespace {

/// What sums become.
struct SumFormat {
  explicit constexpr SumFormat(Format format)
      : is_single(format == Format::kFp32),
        least_exponent(info(format).least_exponent()),
        sign(std::uint32_t{1} << (info(format).bits - 1)),
        infinity(((std::uint32_t{1} << info(format).exponent_bits) - 1) << info(format).fraction_bits),
        nan(sign - 1) {}
  bool is_single;
  int least_exponent;
  std::uint32_t sign, infinity, nan;
};
constexpr SumFormat kSingle(Format::kFp32), kHalf(Format::kFp16);

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Cut off to FP32; a zero is positive.
std::uint32_t to_single(double exact) {
  auto value = static_cast<float>(exact);
  if (std::fabs(static_cast<double>(value)) > std::fabs(exact) && std::fabs(exact) < 0x1p128)
    value = std::nextafter(value, 0.0f);
  return value == 0 ? 0 : bits_of(value);
}
/// To FP16, to nearest even; a zero is positive.
std::uint32_t to_half(double exact) {
  auto value = static_cast<float>(exact);
  if (static_cast<double>(value) != exact) {  // cut off, and odd: the second rounding sees that there is more
    if (std::fabs(static_cast<double>(value)) > std::fabs(exact)) value = std::nextafter(value, 0.0f);
    value = float_of(bits_of(value) | 1);
  }
  const std::uint32_t half = half_from_float(value);
  return (half & 0x7FFF) == 0 ? 0 : half;
}

/// The terms of one step, and its sum.
class Step {
 public:
  Step(const SumFormat& format, int fraction_bits, float c) : format_(format), fraction_bits_(fraction_bits) {
    terms_[0] = static_cast<double>(c);
    if (c != 0 && std::isfinite(c)) most_ = std::max(std::ilogb(c), format.least_exponent);
    record_special(terms_[0]);
  }
  /// Products of up to 24 bits of any exponent of FP32 are exact in double precision.
  void add(float a, float b, int exponent) {
    const double product = static_cast<double>(a) * static_cast<double>(b);
    record_special(product);
    if (product == 0 || !std::isfinite(product)) return;
    terms_[count_++] = product;
    most_ = std::max(most_, exponent);
  }
  std::uint32_t sum() const {
    if (nan_ || (plus_ && minus_)) return format_.nan;
    if (plus_ || minus_) return format_.infinity | (minus_ ? format_.sign : 0);
    double sum = 0;
    for (unsigned i = 0; i < count_; ++i) sum += std::trunc(std::ldexp(terms_[i], fraction_bits_ - most_));
    const double exact = std::ldexp(sum, most_ - fraction_bits_);
    return format_.is_single ? to_single(exact) : to_half(exact);
  }

 private:
  void record_special(double term) {
    if (std::isnan(term)) nan_ = true;
    else if (std::isinf(term)) (term < 0 ? minus_ : plus_) = true;
  }
  const SumFormat& format_;
  const int fraction_bits_;
  double terms_[9];
  unsigned count_ = 1;
  int most_ = -300;  // below all products
  bool nan_ = false, plus_ = false, minus_ = false;
};

}  // namespace

void add_fused_dot_slowly(SumRule rule, Accumulator accumulator, const FusedDot& dot, std::uint32_t row,
                          std::uint32_t column) {
  const SumFormat& format = accumulator == Accumulator::kFp32 ? kSingle : kHalf;
  const int fraction_bits = rule.fraction_bits;
  for (std::uint32_t j = column; j < column + 8; ++j) {
    std::uint32_t& word = dot.c[row * dot.c_stride + j];
    for (std::uint32_t first = 0; first < dot.terms; first += dot.at_once) {
      Step step(format, fraction_bits,
                accumulator == Accumulator::kFp32 ? float_of(word)
                                                  : float_from_half(static_cast<std::uint16_t>(word)));
      for (std::uint32_t t = first; t < first + dot.at_once; ++t) {
        const std::uint32_t at_a = row * dot.a.stride + t, at_b = t * dot.b.stride + j;
        step.add(dot.a.value[at_a], dot.b.value[at_b],
                 (dot.a.exponent[at_a] + dot.b.exponent[at_b]) >> Parts::kExponentShift);
      }
      word = step.sum();
    }
  }
}

bool take_apart(const std::uint16_t* halves, std::uint32_t count, float* values, std::int32_t* exponents) {
  using Version = bool (*)(const std::uint16_t*, std::uint32_t, float*, std::int32_t*);
  return base::host_version<Version>(&baseline::take_apart, &avx2::take_apart)(halves, count, values,
                                                                               exponents);
}

bool take_apart(const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count, float* values,
                std::int32_t* exponents) {
  using Version = bool (*)(const std::uint32_t*, const std::uint32_t*, std::uint32_t, float*, std::int32_t*);
  return base::host_version<Version>(&baseline::take_apart, &avx2::take_apart)(words, index, count, values,
                                                                               exponents);
}

void gather(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count, std::uint32_t* to) {
  base::host_version(&baseline::gather, &avx2::gather)(from, index, count, to);
}

void gather_halves(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,
                   std::uint32_t* to) {
  base::host_version(&baseline::gather_halves, &avx2::gather_halves)(from, index, count, to);
}

void round_to_halves(const float* values, std::uint32_t count, std::uint16_t* halves) {
  base::host_version(&baseline::round_to_halves, &avx2::round_to_halves)(values, count, halves);
}

void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot, base::HostCode code) {
  base::host_version(&baseline::add_fused_dot, &avx2::add_fused_dot, code)(rule, accumulator, dot);
}
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot) {
  add_fused_dot(rule, accumulator, dot, base::host_code());
}

}  // namespace spica::numeric
