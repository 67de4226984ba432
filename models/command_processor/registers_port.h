// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/command_processor/queues.h"
#include "models/protocol/payload_pool.h"

namespace spica::command_processor {

/// A request to the registers at `base`, with its response status: both modes answer alike. True: a register was
/// written.
///
/// Errors  outside of them TLM_ADDRESS_ERROR_RESPONSE; another size than 4 TLM_BURST_ERROR_RESPONSE; an atomic, or a
///         value that means nothing there, TLM_COMMAND_ERROR_RESPONSE
bool access_registers(Queues& queues, std::uint64_t base, protocol::Payload& payload);

/// A debug access: reads a register, writes none. Returns the bytes moved.
unsigned peek_registers(const Queues& queues, std::uint64_t base, protocol::Payload& payload);

}  // namespace spica::command_processor
