// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/protocol/payload/address_map.h"
#include "models/simt_core/warp/checks.h"

namespace spica::tensor_core {

/// Checks the operand addresses of hgmma, taken from lane 0 whether it is active or not, and converts them to offsets
/// in shared memory. False: an error.
struct Tiles {
  std::uint32_t a = 0, b = 0;
};
bool find_tiles(const isa::Instruction& instruction, const isa::RegisterFile& registers,
                const protocol::AddressMap& map, Tiles& tiles, simt_core::GuestError& error);

}  // namespace spica::tensor_core
