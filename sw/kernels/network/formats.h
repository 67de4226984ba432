// SPDX-License-Identifier: Apache-2.0
// Elements as kernels of networks load and store them. They compute in FP32, whatever the format in memory; Integer alone
// computes in 32-bit integers. Value: what they compute in; Word: the bits in memory.
#pragma once

#include <number_formats.h>
#include <stdint.h>

namespace network {

struct Fp32 {
  using Value = float;
  using Word = float;
  static constexpr unsigned kBytes = 4;
  SIMT_INLINE float load(uint32_t at) { return *reinterpret_cast<const float*>(at); }
  SIMT_INLINE void store(uint32_t at, float value) { *reinterpret_cast<float*>(at) = value; }
};
struct Fp16 {
  using Value = float;
  using Word = uint16_t;
  static constexpr unsigned kBytes = 2;
  SIMT_INLINE float load(uint32_t at) { return fp16_bits_to_float(*reinterpret_cast<const uint16_t*>(at)); }
  SIMT_INLINE void store(uint32_t at, float value) {
    *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>(float_to_fp16_bits(value));
  }
};
struct Bf16 {
  using Value = float;
  using Word = uint16_t;
  static constexpr unsigned kBytes = 2;
  SIMT_INLINE float load(uint32_t at) { return bf16_bits_to_float(*reinterpret_cast<const uint16_t*>(at)); }
  SIMT_INLINE void store(uint32_t at, float value) {
    *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>(float_to_bf16_bits(value));
  }
};
/// 0 or 1, a byte.
struct Bool {
  using Value = float;
  static constexpr unsigned kBytes = 1;
  SIMT_INLINE float load(uint32_t at) {
    return static_cast<float>(static_cast<int32_t>(*reinterpret_cast<const uint8_t*>(at) != 0));
  }
  template <class V>
  SIMT_INLINE void store(uint32_t at, V value) {
    *reinterpret_cast<uint8_t*>(at) = value != 0;
  }
};
/// Integers, as the nearest numbers of FP32; numbers are truncated.
struct Int32 {
  using Value = float;
  static constexpr unsigned kBytes = 4;
  SIMT_INLINE float load(uint32_t at) { return static_cast<float>(*reinterpret_cast<const int32_t*>(at)); }
  SIMT_INLINE void store(uint32_t at, float value) {
    *reinterpret_cast<int32_t*>(at) = static_cast<int32_t>(value);
  }
};

/// Integers that are computed as such; sums and products wrap.
struct Integer {
  using Value = int32_t;
  static constexpr unsigned kBytes = 4;
  SIMT_INLINE int32_t load(uint32_t at) { return *reinterpret_cast<const int32_t*>(at); }
  SIMT_INLINE void store(uint32_t at, int32_t value) { *reinterpret_cast<int32_t*>(at) = value; }
};

/// Integers of 8 bits. Numbers are rounded to the nearest, of two the even one; beyond the largest to the largest.
struct Int8 {
  using Value = float;
  static constexpr unsigned kBytes = 1;
  SIMT_INLINE float load(uint32_t at) {
    return static_cast<float>(static_cast<int32_t>(*reinterpret_cast<const int8_t*>(at)));
  }
  SIMT_INLINE void store(uint32_t at, float value) {
    *reinterpret_cast<uint8_t*>(at) = static_cast<uint8_t>(float_to_int8_bits(value));
  }
};
struct Uint8 {
  using Value = float;
  static constexpr unsigned kBytes = 1;
  SIMT_INLINE float load(uint32_t at) {
    return static_cast<float>(static_cast<int32_t>(*reinterpret_cast<const uint8_t*>(at)));
  }
  SIMT_INLINE void store(uint32_t at, float value) {
    *reinterpret_cast<uint8_t*>(at) = static_cast<uint8_t>(float_to_uint8_bits(value));
  }
};
/// Any elements of that type, which are moved only.
template <class W>
struct Raw {
  using Value = float;
  static constexpr unsigned kBytes = sizeof(W);
  SIMT_INLINE float load(uint32_t at) { return float_from_bits(*reinterpret_cast<const W*>(at)); }
  SIMT_INLINE void store(uint32_t at, float value) {
    *reinterpret_cast<W*>(at) = static_cast<W>(float_to_bits(value));
  }
};

}  // namespace network
