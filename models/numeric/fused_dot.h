// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::numeric {

/// How a tensor core adds the products of one step to the accumulator. Products of FP16 numbers are exact; subnormals
/// count. Sources: mma-sim functions.py (fused_sum), nv.py; fasi2021 sections 3 and 4.
enum class SumRule : std::uint8_t {
  kTruncated23,  // Volta: products and accumulator aligned to the largest exponent, cut off behind 23 fraction bits, added
  kTruncated24,  // Turing, Ampere: the same with 24 bits
  kTree,  // a tree of FP32 additions, each to nearest even, the accumulator last
};

/// The numbers of a matrix, taken apart: each is significand * 2^(exponent - 10). Rows are `stride` numbers apart.
struct Parts {
  static constexpr int kZero = -512, kInfinity = 1000, kNan = 2000;  // exponents

  const std::int32_t* significand;
  const std::int32_t* exponent;
  std::uint32_t stride;
};

/// Takes FP16 numbers apart. Any number of them.
void take_apart(const std::uint16_t* halves, std::uint32_t count, std::int32_t* significands,
                std::int32_t* exponents);

/// One step on a matrix: C += A * B. A is rows x terms, B terms x 8 * vectors, C rows x 8 * vectors.
struct FusedDotStep {
  Parts a, b;
  std::uint32_t* c;  // FP32, or FP16 in the low half of each word; 32-byte aligned, like the rows of B
  std::uint32_t c_stride;
  std::uint32_t rows, vectors, terms;  // terms: at most 8
};

/// FP32: a truncated sum is cut off once more when it becomes FP32; NaN results are 0x7FFFFFFF (`kTree`: 0x7FC00000).
/// FP16: sums are rounded to nearest even; NaN results are 0x7FFF (`kTree`: 0x7E00).
enum class Accumulator : std::uint8_t { kFp32, kFp16 };

void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDotStep& step);
/// The same with the code of a certain host.
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDotStep& step, base::HostCode code);

}  // namespace spica::numeric
