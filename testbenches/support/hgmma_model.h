// SPDX-License-Identifier: Apache-2.0
// What an hgmma does, written down a second time (vortex-hopper core/VX_tensor_hopper_core.sv):
// element by element, with the scalar arithmetic of wmma_model.h.
#pragma once

#include <vector>

#include "testbenches/support/wmma_model.h"

namespace spica::testbench {

using TileBytes = std::vector<std::uint8_t>;  // 1 KB

namespace hgmma_model {

/// Element k of row `row` of A (of column `row` of B): 32-byte blocks of two rows, 16 bytes each.
inline std::uint32_t element(const TileBytes& tile, bool fp16, unsigned row, unsigned k) {
  const unsigned bytes = fp16 ? 2 : 4, set = k / (16 / bytes), within = k % (16 / bytes);
  std::uint32_t value = 0;
  std::memcpy(&value, &tile[256 * set + 16 * row + bytes * within], bytes);
  return value;
}

/// The sum that one set adds to an element of C.
inline std::uint32_t dot(const TileBytes& a, const TileBytes& b, bool fp16, unsigned row, unsigned column,
                         unsigned set) {
  using namespace wmma_model;
  if (fp16) {
    double p[8];
    for (unsigned i = 0; i < 8; ++i)
      p[i] = round_to_half(half_value(static_cast<std::uint16_t>(element(a, true, row, 8 * set + i))) *
                           half_value(static_cast<std::uint16_t>(element(b, true, column, 8 * set + i))));
    for (unsigned width = 4; width != 0; width /= 2)
      for (unsigned i = 0; i < width; ++i) p[i] = round_to_half(p[2 * i] + p[2 * i + 1]);
    return float_bits(p[0]);
  }
  std::uint32_t p[4];
  for (unsigned i = 0; i < 4; ++i)
    p[i] = multiply(element(a, false, row, 4 * set + i), element(b, false, column, 4 * set + i));
  return add(add(p[0], p[1]), add(p[2], p[3]));
}

}  // namespace hgmma_model

inline void hgmma_reference(FragmentRegisters& f, bool fp16, const TileBytes& a, const TileBytes& b) {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      std::uint32_t& c = f[8 * (column / 4) + 2 * (row / 4) + column % 4 / 2][row % 4 + 4 * (column % 2)];
      for (unsigned set = 0; set < 4; ++set)
        c = wmma_model::add(hgmma_model::dot(a, b, fp16, row, column, set), c);
    }
}

/// A tile of ordinary numbers, or with many special ones.
inline TileBytes random_tile(std::mt19937& random, bool fp16, bool special) {
  TileBytes tile;
  while (tile.size() < 1024) {
    const FragmentRegisters words = random_fragments(random, fp16, special);
    for (unsigned reg = 0; reg < 16; ++reg)  // f0-f15 are operands
      for (const std::uint32_t word : words[reg])
        for (unsigned byte = 0; byte < 4; ++byte) tile.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  }
  tile.resize(1024);
  return tile;
}

}  // namespace spica::testbench
