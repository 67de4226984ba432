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

/// The number of FP32 that a code means; NaN is 0x7FC00000. Bits above the code do not count. Not of kInt32, whose
/// numbers FP32 does not hold.
float value_of(Format format, std::uint32_t code);
/// The code of the number nearest to `value`, of two the even one.
std::uint32_t nearest(Format format, float value, Overflow overflow = Overflow::kSpecial);
/// The largest number.
float largest(Format format);
/// The code of one of the two neighbours of `value`, with a probability that grows with its distance from the other:
/// away from zero if random * 2^-32 plus the distance from the lower one, in steps of the format and cut off behind
/// 32 bits, is 1 or more (ptx9 cvt.rs; a random number of 32 bits is an operand there as well).
std::uint32_t stochastic(Format format, float value, std::uint32_t random,
                         Overflow overflow = Overflow::kSpecial);

/// Stochastic rounding whose random numbers follow from a seed.
class StochasticRounding {
 public:
  explicit StochasticRounding(std::uint32_t seed) : random_(seed) {}
  std::uint32_t operator()(Format format, float value, Overflow overflow = Overflow::kSpecial) {
    return stochastic(format, value, static_cast<std::uint32_t>(random_()), overflow);
  }

 private:
  std::mt19937 random_;
};

/// As words of configurations and options.
std::optional<Format> format_of_key(std::string_view key);

/// Bytes of `count` contiguous numbers from bit 0 on.
constexpr std::size_t stored_bytes(Format format, std::size_t count) {
  return (count * info(format).stored_bits + 7) / 8;
}
/// Numbers as they lie in memory, to nearest even. Bits of the last byte that belong to no number are 0.
void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to);
void decode(Format format, const unsigned char* from, std::size_t count, float* values);
/// Each becomes the nearest number of the format.
void round_all(Format format, Overflow overflow, float* values, std::size_t count);

/// Numbers as they lie in memory, of one format to another: number * scale in FP32, then the nearest, beyond the
/// largest the largest.
void convert(Format from, const unsigned char* numbers, std::size_t count, float scale, Format to,
             unsigned char* result);

/// The same with the code of a certain host.
void encode(Format format, Overflow overflow, const float* values, std::size_t count, unsigned char* to,
            base::HostCode code);
void decode(Format format, const unsigned char* from, std::size_t count, float* values, base::HostCode code);
void round_all(Format format, Overflow overflow, float* values, std::size_t count, base::HostCode code);

}  // namespace spica::numeric
