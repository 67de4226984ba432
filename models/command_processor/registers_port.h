// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/command_processor/queues.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::command_processor {

/// Serves a request to the registers at `base` and sets its response status, in both modes. True: a register was
/// written.
///
/// Errors  outside the registers TLM_ADDRESS_ERROR_RESPONSE; a size other than 4 TLM_BURST_ERROR_RESPONSE; an atomic or
///         an invalid value TLM_COMMAND_ERROR_RESPONSE
bool access_registers(Queues& queues, std::uint64_t base, protocol::Payload& payload);

/// A debug access: reads registers, writes none. Returns the bytes moved.
unsigned peek_registers(const Queues& queues, std::uint64_t base, protocol::Payload& payload);

}  // namespace spica::command_processor
