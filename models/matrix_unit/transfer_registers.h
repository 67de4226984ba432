// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/protocol/move.h"

namespace spica::matrix_unit {

/// What the CONFIG commands set for later loads and stores. Load state 0 serves mvin and load A, 1
/// mvin2 and load B, 2 mvin3 and load D. Scale factors count where a load converts elements; else they
/// are ignored: published kernels leave them neutral.
struct TransferRegisters {
  struct Load {
    std::uint32_t stride = 0;        // bytes between rows in global memory
    std::uint32_t block_stride = 0;  // local rows between blocks side by side
    bool shrink = false;             // to the accumulator: operand format in global memory, not FP32
    bool transpose = false;          // to shared memory: words of a block of DIM x DIM
    protocol::Conversion conversion = {};  // to shared memory

    /// As Move::transposed_word, of words of `bytes`.
    std::uint8_t word(std::uint32_t bytes) const { return static_cast<std::uint8_t>(transpose ? bytes : 0); }
  };
  std::array<Load, 3> load{};
  std::uint32_t store_stride = 0;  // bytes
};

}  // namespace spica::matrix_unit
