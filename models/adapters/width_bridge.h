// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/adapters/between.h"

namespace spica::adapters {

/// Connects a socket of one bus width to a socket of another: a payload is a string of bytes, which both sides see in
/// the same order, and the width says only how many of them are a word. Same phases, same time.
///
/// Shape    From, To: bits, 32 to 512
/// Source   IEEE Std 1666-2011, 14.17 (endianness of payloads), 13.2 (BUSWIDTH)
template <unsigned From, unsigned To, class Types = tlm::tlm_base_protocol_types>
using WidthBridge = Between<From, Types, To>;

}  // namespace spica::adapters
