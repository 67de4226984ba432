// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/adapters/between.h"

namespace spica::adapters {

/// Connects sockets of different bus width. A payload is a string of bytes in the same order on both sides; the width
/// only sets how many bytes are a word. Phases and time are unchanged.
///
/// Shape    From, To: bits, 32 to 512
/// Source   IEEE Std 1666-2011, 14.17 (endianness of payloads), 13.2 (BUSWIDTH)
template <unsigned From, unsigned To, class Types = tlm::tlm_base_protocol_types>
using WidthBridge = Between<From, Types, To>;

}  // namespace spica::adapters
