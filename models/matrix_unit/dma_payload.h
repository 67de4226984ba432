// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/dma_command.h"
#include "models/protocol/payload_pool.h"

namespace spica::matrix_unit {

/// A command to the DMA: no data of its own, the move is in the extension.
class DmaPayload final : public protocol::DmaCommandPayload {
 public:
  explicit DmaPayload(tlm::tlm_mm_interface* pool) : DmaCommandPayload(pool) {
    set_command(tlm::TLM_IGNORE_COMMAND);
  }
};

using DmaPool = protocol::PayloadPool<DmaPayload>;

}  // namespace spica::matrix_unit
