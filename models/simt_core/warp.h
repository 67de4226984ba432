// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/simt_core/tensor_sequencer.h"

namespace spica::simt_core {

/// What issue remembers of a warp.
struct Warp {
  std::uint32_t issue_pc = 0;        // of the last instruction issued, for reports
  std::uint8_t alu = 0, fpu = 0;     // its execution units
  TensorSequencer sequencer;         // of the tensor instruction at the head of the buffer
  std::uint8_t tensor_products = 0;  // hgmma whose results are not all written

  void reset() {
    issue_pc = 0;
    sequencer.reset();
    tensor_products = 0;
  }
};

}  // namespace spica::simt_core
