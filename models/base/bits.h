// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::base {

/// Number of bits that are 1. Hosts older than x86-64-v2 have no instruction for it, and a library call would cost more
/// than this code.
constexpr unsigned count_bits(std::uint32_t word) {
  word -= word >> 1 & 0x55555555;
  word = (word & 0x33333333) + (word >> 2 & 0x33333333);
  return ((word + (word >> 4)) & 0x0F0F0F0F) * 0x01010101 >> 24;
}

/// The smallest power of two that is not below `value`. The type must have it.
template <class T>
constexpr T next_power_of_two(T value) {
  T power = 1;
  while (power < value) power *= 2;
  return power;
}

}  // namespace spica::base
