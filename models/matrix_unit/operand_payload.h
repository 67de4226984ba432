// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/protocol/payload_pool.h"

namespace spica::matrix_unit {

/// A read of up to DIM operand rows that are consecutive in shared memory, in one burst of a
/// row per beat.
class OperandPayload final : public protocol::PooledPayload {
 public:
  static constexpr unsigned kMaxBytes = 16 * 64;  // DIM rows of DIM FP32 elements, DIM up to 16

  explicit OperandPayload(tlm::tlm_mm_interface* pool) : PooledPayload(pool) {
    set_data_ptr(data.data());
    set_command(tlm::TLM_READ_COMMAND);
  }

  void setup(std::uint64_t address, unsigned bytes, unsigned rows) {
    set_address(address);
    set_data_length(bytes);
    set_streaming_width(bytes);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    info.beat_bytes = static_cast<std::uint16_t>(rows == 1 ? 0 : bytes / rows);
  }

  alignas(64) std::array<unsigned char, kMaxBytes> data;
};

using OperandPool = protocol::PayloadPool<OperandPayload>;

}  // namespace spica::matrix_unit
