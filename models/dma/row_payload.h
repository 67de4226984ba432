// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/protocol/dma_command.h"
#include "models/protocol/payload_pool.h"

namespace spica::dma {

/// Access to one accumulator row. The command it belongs to travels with it, because it says
/// whether the row is rounded to the operand format and whether it is added.
class RowPayload final : public protocol::DmaCommandPayload {
 public:
  explicit RowPayload(tlm::tlm_mm_interface* pool) : DmaCommandPayload(pool) { set_data_ptr(data.data()); }

  alignas(64) std::array<unsigned char, protocol::kMaxLineBytes> data;
};

using RowPool = protocol::PayloadPool<RowPayload>;

}  // namespace spica::dma
