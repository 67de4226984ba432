// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::protocol {

/// One move of a two-dimensional piece of a matrix: `rows` rows, each of them `blocks` blocks of `block_bytes` bytes. On
/// the far side (global memory) the blocks of a row lie side by side; on the near side (shared memory in bytes, the
/// accumulator in rows) rows and blocks have strides of their own.
struct Move {
  enum class Kind : std::uint8_t {
    kGlobalToShared,  // mvin into the scratchpad
    kGlobalToAccumulator,  // mvin of bias
    kAccumulatorToGlobal,  // mvout
    kAccumulatorToShared,  // here the far side is a byte offset in shared memory
  };
  enum class Stream : std::uint8_t { kA, kB, kC, kD };  // for statistics, traces and interleaving

  Kind kind = Kind::kGlobalToShared;
  Stream stream = Stream::kA;
  std::uint32_t global_address = 0;  // of row 0
  std::uint32_t global_stride = 0;  // bytes between rows
  std::uint32_t local_address = 0;  // byte offset in shared memory, or first accumulator row
  std::uint32_t local_stride = 0;  // bytes (or accumulator rows) between rows of one block
  std::uint32_t block_stride = 0;  // bytes (or rows) between blocks side by side
  std::uint16_t rows = 0;
  std::uint16_t blocks = 1;  // blocks side by side in one row
  std::uint16_t block_bytes = 0;  // bytes of one row of one block in global memory
  bool accumulate = false;  // kGlobalToAccumulator: add instead of overwrite
  bool narrow = false;  // accumulator reads are rounded to the operand format

  /// From global memory; else from the accumulator.
  bool loads() const { return kind == Kind::kGlobalToShared || kind == Kind::kGlobalToAccumulator; }
  std::uint32_t row_bytes() const { return std::uint32_t{blocks} * block_bytes; }
  /// Where byte `position` of row `row` lies on the far side.
  std::uint32_t far(std::uint32_t row, std::uint32_t position) const {
    return global_address + row * global_stride + position;
  }
  /// Where row `row` of block `block` lies on the near side.
  std::uint32_t near(std::uint32_t row, std::uint32_t block) const {
    return local_address + row * local_stride + block * block_stride;
  }
};

}  // namespace spica::protocol
