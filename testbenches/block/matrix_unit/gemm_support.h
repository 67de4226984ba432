// SPDX-License-Identifier: Apache-2.0
// Matrices in stub memories, an independent model of the arithmetic, and the published loop over k
// tiles.
#pragma once

#include <cmath>
#include <random>

#include "models/numeric/convert.h"
#include "testbenches/block/matrix_unit/matrix_bench.h"
#include "testbenches/support/catch.h"

namespace spica::testbench {

using matrix_unit::CommandSet;
using matrix_unit::OperandFormat;

inline constexpr std::uint32_t kA = 0xA0000000, kB = 0xA1000000, kC = 0xC0000000;

inline float random_value(std::mt19937& random) {
  return std::ldexp(static_cast<float>(static_cast<int>(random() % 4001) - 2000),
                    static_cast<int>(random() % 9) - 12);
}

/// Independent model of the arithmetic: chains of `dim` fused multiply-adds from 0, added block by
/// block.
inline std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b, unsigned m,
                                    unsigned n, unsigned k, unsigned dim) {
  std::vector<float> c(m * n);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned kb = 0; kb < k; kb += dim) {
        float chain = 0;
        for (unsigned x = kb; x < kb + dim; ++x) chain = std::fma(a[i * k + x], b[x * n + j], chain);
        sum = kb == 0 ? chain : sum + chain;
      }
      c[i * n + j] = sum;
    }
  return c;
}

inline void store(MemoryStub& memory, std::uint32_t base, const std::vector<float>& values,
                  OperandFormat format) {
  std::vector<unsigned char> bytes(numeric::stored_bytes(format, values.size()));
  numeric::encode(format, numeric::Overflow::kSpecial, values.data(), values.size(), bytes.data());
  for (std::size_t i = 0; i < bytes.size(); ++i) memory.byte(base + static_cast<std::uint32_t>(i)) = bytes[i];
}

/// The v1 kernel's loop over k: load k + 1 overlaps compute k; at the end the tile goes to global
/// memory.
inline void program_v1(MatrixBench& b, unsigned m, unsigned n, unsigned k) {
  Driver& d = b.driver;
  const auto& p = b.options.unit;
  const unsigned element = p.element_bytes();
  const auto dim = static_cast<std::uint32_t>(p.dim);
  d.rocc(MATRIX_UNIT_CONFIG, 0x3F80000000010004, 0x0001000000000000);
  d.rocc(MATRIX_UNIT_CONFIG, 0x0000000000000101 | dim << 16, k * element);
  d.rocc(MATRIX_UNIT_CONFIG, 0x0000000000000109 | dim << 16, n * element);
  d.rocc(MATRIX_UNIT_CONFIG, 2, std::uint64_t{0x46700000} << 32 | n * element);
  const unsigned tile_k = static_cast<unsigned>(p.tile_k), tiles = k / tile_k;
  for (unsigned t = 0; t < tiles; ++t) {
    d.rocc(MATRIX_UNIT_LOOP_ADDRESS_AB, kA + t * tile_k * element, kB + t * tile_k * n * element);
    d.cisc(p.command_set == CommandSet::kQuartileV1 ? n << 16 | k << 8 | 8 : n << 20 | k << 8 | 8);
    d.cisc(t % 2 == 0 ? MATRIX_UNIT_Q_LOAD_0 : MATRIX_UNIT_Q_LOAD_1);
    d.fence();
    d.cisc(t == 0       ? MATRIX_UNIT_Q_COMPUTE_0
           : t % 2 == 1 ? MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE
                        : MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE);
  }
  d.fence();
  d.rocc(MATRIX_UNIT_LOOP_BOUNDS, 0, std::uint64_t{p.tile_k / dim} << 32 | (n / dim) << 16 | m / dim);
  d.rocc(MATRIX_UNIT_LOOP_ADDRESS_DC, 0, kC);
  d.rocc(MATRIX_UNIT_LOOP_STRIDE_DC, 0, n);
  d.rocc(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_STORE_GMEM);
  d.fence();
}

inline std::vector<float> random_matrix(unsigned count, unsigned seed, OperandFormat format) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = random_value(random);
    value = numeric::value_of(format, numeric::nearest(format, value, numeric::Overflow::kSaturate));
  }
  return values;
}

/// C, in the format of results.
inline void check_c(MatrixBench& b, const std::vector<float>& want, OperandFormat format) {
  unsigned wrong = 0;
  const unsigned bytes = numeric::info(format).stored_bits / 8;
  for (std::size_t i = 0; i < want.size(); ++i) {
    std::uint32_t got = 0;
    for (unsigned byte = 0; byte < bytes; ++byte)
      got |= std::uint32_t{b.gmem.byte(kC + static_cast<std::uint32_t>(bytes * i) + byte)} << 8 * byte;
    wrong += got != numeric::nearest(format, want[i]);
  }
  CHECK(wrong == 0);
}

}  // namespace spica::testbench
