// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/matrix_unit/commands.h"
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

/// A move as the DMA wants it.
inline protocol::DmaCommand dma_command(const Move& m) {
  protocol::DmaCommand to;
  to.kind = m.kind;
  to.stream = m.stream;
  to.global_address = m.global_address;
  to.global_stride = m.global_stride;
  to.local_address = m.local_address;
  to.local_stride = m.local_stride;
  to.block_stride = m.block_stride;
  to.rows = m.rows;
  to.blocks = m.blocks;
  to.block_bytes = m.block_bytes;
  to.accumulate = m.accumulate;
  to.narrow = m.narrow;
  return to;
}

using DmaPool = protocol::PayloadPool<DmaPayload>;

}  // namespace spica::matrix_unit
