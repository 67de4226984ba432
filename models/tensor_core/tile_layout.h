// SPDX-License-Identifier: Apache-2.0
// The decoupled unit's tiles: 16 rows of A, 16 columns of B, in four sets along k (virgo
// core/TensorCoreDecoupled.scala). A set is 16 bytes of k: eight FP16 or four FP32 elements.
// Positions count the 128 register rows that an instruction computes: 4 sets x 16 steps x 2
// substeps.
#pragma once

#include <cstdint>

namespace spica::tensor_core::tile {

inline constexpr unsigned kSets = 4;
inline constexpr unsigned kSetBlocks = 8;     // blocks of A, and of B, in a set
inline constexpr unsigned kBlockBytes = 32;   // two rows of A or columns of B, 16 bytes of k each
inline constexpr unsigned kBlocks = kSets * kSetBlocks;
inline constexpr unsigned kBytes = kBlocks * kBlockBytes;
inline constexpr unsigned kRegisters = 32;    // accumulator: f0..f31 of eight lanes
inline constexpr unsigned kPositions = kSets * kRegisters;
inline constexpr unsigned kColumnBlocks = 2;  // blocks of B that four steps share: four columns

/// Blocks are contiguous, set by set: block `index` of a set has rows (columns) 2 * index and
/// 2 * index + 1.
constexpr unsigned block_offset(unsigned set, unsigned index) {
  return kBlockBytes * (kSetBlocks * set + index);
}

/// Register 2 * step + substep: four rows and two columns of C. Lane l has row l % 4, column l / 4 of it.
constexpr unsigned first_row(unsigned f) { return 4 * (f >> 1 & 3); }
constexpr unsigned first_column(unsigned f) { return 4 * (f >> 3) + 2 * (f & 1); }
constexpr unsigned row(unsigned f, unsigned lane) { return first_row(f) + (lane & 3); }
constexpr unsigned column(unsigned f, unsigned lane) { return first_column(f) + (lane >> 2); }

/// The two blocks of A that contain first_row(f), and the block of B, within its pair, that contains first_column(f).
constexpr unsigned a_block(unsigned f) { return first_row(f) / 2; }
constexpr unsigned b_block(unsigned f) { return f & 1; }
/// The offsets of the blocks of position `p` in the tiles.
constexpr unsigned a_offset(unsigned p) { return block_offset(p / kRegisters, a_block(p % kRegisters)); }
constexpr unsigned b_offset(unsigned p) {
  const unsigned f = p % kRegisters;
  return block_offset(p / kRegisters, f / 8 * kColumnBlocks + b_block(f));
}
/// After position `p`, the set's A, or the pair of blocks of B, is no longer needed.
constexpr bool last_use_of_a(unsigned p) { return p % kRegisters == kRegisters - 1; }
constexpr bool last_use_of_b(unsigned p) { return p % 8 == 7; }

}  // namespace spica::tensor_core::tile
