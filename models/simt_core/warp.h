// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/simt_core/pipeline/tensor_sequencer.h"

namespace spica::simt_core {

/// What issue remembers of a warp.
struct Warp {
  TensorSequencer sequencer;         // of the tensor instruction at the head of the buffer
  std::uint8_t tensor_products = 0;  // hgmma whose results are not all written

  void reset() {
    sequencer.reset();
    tensor_products = 0;
  }
};

}  // namespace spica::simt_core
