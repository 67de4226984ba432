// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/numeric/format.h"

namespace spica::protocol {

/// Conversion of the elements of a load: element * scale in FP32, rounded to nearest even; overflow gives the largest
/// number. Elements of a row are consecutive from bit 0 on both sides.
struct Conversion {
  numeric::Format from = numeric::Format::kFp32, to = numeric::Format::kFp32;
  float scale = 1;
  bool present = false;  // false: bytes are copied unchanged

  /// Size on the far side, in bits, of `near` bytes of elements.
  std::uint32_t far_bits(std::uint32_t near) const {
    return present ? near * 8 / numeric::info(to).stored_bits * numeric::info(from).stored_bits : near * 8;
  }
  std::uint32_t far_bytes(std::uint32_t near) const { return far_bits(near) / 8; }
};

/// One move of a two-dimensional piece of a matrix: `rows` rows, each of `blocks` blocks of `block_bytes` bytes. On the
/// far side (global memory) the blocks of a row are adjacent. On the near side (shared memory in bytes, the accumulator
/// in rows) rows and blocks have separate strides. A load to shared memory can convert elements and transpose words; it
/// then has one block, whose columns are rows on the far side.
struct Move {
  enum class Kind : std::uint8_t {
    kGlobalToShared,  // mvin into the scratchpad
    kGlobalToAccumulator,  // mvin of the bias
    kAccumulatorToGlobal,  // mvout
    kAccumulatorToShared,  // here the far side is a byte offset in shared memory
  };
  enum class Stream : std::uint8_t { kA, kB, kC, kD };  // for statistics, traces and interleaving

  Kind kind = Kind::kGlobalToShared;
  Stream stream = Stream::kA;
  std::uint32_t global_address = 0;  // address of row 0
  std::uint32_t global_stride = 0;  // bytes between rows
  std::uint32_t local_address = 0;  // byte offset in shared memory, or first accumulator row
  std::uint32_t local_stride = 0;  // bytes (or accumulator rows) between rows of one block
  std::uint32_t block_stride = 0;  // bytes (or rows) between adjacent blocks
  std::uint16_t rows = 0;
  std::uint16_t blocks = 1;  // adjacent blocks in one row
  std::uint16_t block_bytes = 0;  // bytes of one row of one block on the near side
  bool accumulate = false;  // kGlobalToAccumulator: add instead of overwrite
  bool narrow = false;  // accumulator reads are rounded to the operand format
  std::uint8_t transposed_word =
      0;  // size of transposed words on the near side, in bytes; 0: no transposition
  Conversion conversion = {};

  /// True: from global memory; false: from the accumulator.
  bool loads() const { return kind == Kind::kGlobalToShared || kind == Kind::kGlobalToAccumulator; }
  bool transposes() const { return transposed_word != 0; }
  /// True if rows have another layout on the near side.
  bool reshapes() const { return conversion.present || transposes(); }
  /// Bytes of a row on the near side.
  std::uint32_t row_bytes() const { return std::uint32_t{blocks} * block_bytes; }
  std::uint32_t far_rows() const { return transposes() ? block_bytes / transposed_word : rows; }
  std::uint32_t far_row_bytes() const {
    return conversion.far_bytes(transposes() ? std::uint32_t{rows} * transposed_word : row_bytes());
  }
  /// Number of elements to convert in a row of a block.
  std::uint32_t elements_of_row() const {
    return conversion.present ? block_bytes * 8u / numeric::info(conversion.to).stored_bits : 0;
  }
  /// Offset of byte `position` of row `row` on the far side.
  std::uint32_t far(std::uint32_t row, std::uint32_t position) const {
    return global_address + row * global_stride + position;
  }
  /// Offset of row `row` of block `block` on the near side.
  std::uint32_t near(std::uint32_t row, std::uint32_t block) const {
    return local_address + row * local_stride + block * block_stride;
  }
};

}  // namespace spica::protocol
