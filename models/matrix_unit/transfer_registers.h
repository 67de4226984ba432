// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/protocol/payload/move.h"

namespace spica::matrix_unit {

/// The settings of the CONFIG commands for later loads and stores. Load state 0 applies to mvin and load A, 1 to mvin2
/// and load B, 2 to mvin3 and load D. Scale factors are used where a load converts elements and ignored elsewhere:
/// published kernels leave them neutral.
struct TransferRegisters {
  struct Load {
    std::uint32_t stride = 0;  // bytes between rows in global memory
    std::uint32_t block_stride = 0;  // local rows between adjacent blocks
    bool shrink = false;  // to the accumulator: global memory holds the operand format, not FP32
    bool transpose = false;  // to shared memory: transpose blocks of DIM x DIM words
    protocol::Conversion conversion = {};  // to shared memory

    /// Move::transposed_word, for words of `bytes`.
    std::uint8_t word(std::uint32_t bytes) const { return static_cast<std::uint8_t>(transpose ? bytes : 0); }
  };
  std::array<Load, 3> load{};
  std::uint32_t store_stride = 0;  // bytes between rows in global memory
};

}  // namespace spica::matrix_unit
