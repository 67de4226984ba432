// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

#include "models/numeric/format.h"
#include "models/numeric/lanes.h"

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::numeric {

/// The FP32 value of a code; NaN is 0x7FC00000. Bits above the code are ignored. Not for kInt32, whose numbers FP32
/// cannot hold.
float value_of(Format format, std::uint32_t code);
/// The code of the number nearest to `value`; ties to even.
std::uint32_t nearest(Format format, float value, Overflow overflow = Overflow::kSpecial);
/// The largest number.
float largest(Format format);
/// Stochastic rounding: the code of one of the two neighbours of `value`, the farther one less likely. Rounds away from
/// zero if random * 2^-32 plus the distance from the lower neighbour, in steps of the format truncated to 32 bits, is 1
/// or more (ptx9 cvt.rs; there the 32-bit random number is also an operand).
std::uint32_t stochastic(Format format, float value, std::uint32_t random,
                         Overflow overflow = Overflow::kSpecial);

/// Stochastic rounding with random numbers derived from a seed.
class StochasticRounding {
 public:
  explicit StochasticRounding(std::uint32_t seed) : random_(seed) {}
  std::uint32_t operator()(Format format, float value, Overflow overflow = Overflow::kSpecial) {
    return stochastic(format, value, static_cast<std::uint32_t>(random_()), overflow);
  }

 private:
  std::mt19937 random_;
};

/// By the names used in configurations and options.
std::optional<Format> format_of_key(std::string_view key);

/// Size in bytes of `count` contiguous numbers from bit 0 on.
constexpr std::size_t stored_bytes(Format format, std::size_t count) {
  return (count * info(format).stored_bits + 7) / 8;
}
/// Converts to the layout in memory, rounding to nearest even. Unused bits of the last byte are 0.
void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to);
void decode(Format format, const unsigned char* from, std::size_t count, float* values);
/// Rounds each value to the nearest number of the format.
void round_all(Format format, Overflow overflow, float* values, std::size_t count);

/// Converts numbers in memory between formats: number * scale in FP32, rounded to nearest; values beyond the largest
/// number saturate.
void convert(Format from, const unsigned char* numbers, std::size_t count, float scale, Format to,
             unsigned char* result);

/// The same with the code of a given host type.
void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to,
            base::HostCode code);
void decode(Format format, const unsigned char* from, std::size_t count, float* values, base::HostCode code);
void round_all(Format format, Overflow overflow, float* values, std::size_t count, base::HostCode code);

}  // namespace spica::numeric
