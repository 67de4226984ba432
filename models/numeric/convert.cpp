// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/base/host_dispatch.h"
#include "models/numeric/bounded.h"

namespace spica::numeric {

#define SPICA_HOST_VERSION(name)                                                                            \
  namespace name {                                                                                          \
  void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to); \
  void decode(Format format, const unsigned char* from, std::size_t count, float* values);                  \
  void round_all(Format format, Overflow overflow, float* values, std::size_t count);                       \
  }
SPICA_HOST_VERSION(baseline)
SPICA_HOST_VERSION(avx2)
#undef SPICA_HOST_VERSION

void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to,
            base::HostCode code) {
  base::host_version(&baseline::encode, &avx2::encode, code)(format, overflow, values, count, to);
}
void decode(Format format, const unsigned char* from, std::size_t count, float* values, base::HostCode code) {
  base::host_version(&baseline::decode, &avx2::decode, code)(format, from, count, values);
}
void round_all(Format format, Overflow overflow, float* values, std::size_t count, base::HostCode code) {
  base::host_version(&baseline::round_all, &avx2::round_all, code)(format, overflow, values, count);
}
void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to) {
  encode(format, overflow, values, count, to, base::host_code());
}
void decode(Format format, const unsigned char* from, std::size_t count, float* values) {
  decode(format, from, count, values, base::host_code());
}
void round_all(Format format, Overflow overflow, float* values, std::size_t count) {
  round_all(format, overflow, values, count, base::host_code());
}

float value_of(Format format, std::uint32_t code) {
  unsigned char bytes[4];
  float value = 0;
  std::memcpy(bytes, &code, 4);
  baseline::decode(format, bytes, 1, &value);
  return value;
}

std::uint32_t nearest(Format format, float value, Overflow overflow) {
  unsigned char bytes[4] = {};
  std::uint32_t code;
  baseline::encode(format, overflow, &value, 1, bytes);
  std::memcpy(&code, bytes, 4);
  return code;
}

float largest(Format format) {
  return value_of(format, nearest(format, std::numeric_limits<float>::max(), Overflow::kSaturate));
}

std::uint32_t stochastic(Format format, float value, std::uint32_t random, Overflow overflow) {
  if (!std::isfinite(value) || value == 0) return nearest(format, value, overflow);
  const FormatInfo& f = info(format);
  // Exponent of a step of the format. All below is exact in double precision.
  const int step = f.is_float ? std::max(std::ilogb(value), f.least_exponent()) - f.fraction_bits : 0;
  const double steps = std::ldexp(std::fabs(static_cast<double>(value)), -step), whole = std::floor(steps);
  const double rest = std::floor(std::ldexp(steps - whole, 32));
  const double up = rest + random >= 0x1p32 ? 1 : 0;
  return nearest(format, static_cast<float>(std::copysign(std::ldexp(whole + up, step), value)), overflow);
}

std::optional<Format> format_of_key(std::string_view key) {
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const FormatInfo& one) { return one.key == key; });
  if (found == std::end(kFormats)) return std::nullopt;
  return static_cast<Format>(found - std::begin(kFormats));
}

void bound_finite(Format format, float* values, std::size_t count) {
  if (bounded_overflow(format) == Overflow::kSaturate) return;  // which bounds them itself
  const float most = largest(format);
  for (std::size_t i = 0; i < count; ++i) {
    const float bounded = std::min(std::max(values[i], -most), most);
    if (std::isfinite(values[i])) values[i] = bounded;
  }
}

void convert(Format from, const unsigned char* numbers, std::size_t count, float scale, Format to,
             unsigned char* result) {
  constexpr std::size_t kPart = 256;  // whole bytes in each format
  std::array<float, kPart> values;
  for (std::size_t done = 0; done < count; done += kPart) {
    const std::size_t part = std::min(kPart, count - done);
    decode(from, numbers + stored_bytes(from, done), part, values.data());
    if (scale != 1)
      for (std::size_t i = 0; i < part; ++i) values[i] *= scale;
    bound_finite(to, values.data(), part);
    encode(to, bounded_overflow(to), values.data(), part, result + stored_bytes(to, done));
  }
}

}  // namespace spica::numeric
