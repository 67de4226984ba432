// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/fast_tensor_core.h"

#include <cstring>

namespace spica::tensor_core {

void FastTensorCore::multiply_tiles(const unsigned char* a, const unsigned char* b,
                                    std::uint32_t* accumulators) {
  // Two consecutive blocks of A make the four rows of a step.
  struct alignas(32) Operands {
    std::uint32_t words[tile::kBytes / 4];
  } tile_a, tile_b;
  std::memcpy(tile_a.words, a, sizeof tile_a);
  std::memcpy(tile_b.words, b, sizeof tile_b);
  for (unsigned set = 0; set < tile::kSets; ++set)
    for (unsigned f = 0; f < tile::kRegisters; ++f) {
      const unsigned column_block = f / 8 * tile::kColumnBlocks + tile::b_block(f);
      kernels_.tile(tile_a.words + tile::block_offset(set, tile::a_block(f)) / 4,
                    tile_b.words + tile::block_offset(set, column_block) / 4, accumulators + 8 * f);
    }
  macs_ += params_.macs_per_row() * tile::kPositions;
}

}  // namespace spica::tensor_core
