// SPDX-License-Identifier: Apache-2.0
// Address checks before a memory instruction takes effect, in both modes.
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/machine_mode.h"
#include "models/protocol/payload/address_map.h"
#include "models/simt_core/warp/checks.h"

namespace spica::simt_core {

/// Checks an asynchronous copy or a group instruction: the core supports it, and the bytes of each active lane are in
/// global and in shared memory. False: `error` describes the error.
bool check_async(const Ready& ready, const Params& params, const protocol::AddressMap& map,
                 GuestError& error);

/// The destination of a memory access.
struct Place {
  const protocol::Region* region = nullptr;  // of all lanes; nullptr when they differ
  bool bytewise = false;  // misaligned, to be done byte by byte
};
/// Alignment and mapping of all lanes. False: `error` describes the error.
bool check_addresses(const Ready& ready, const protocol::AddressMap& map, bool completes_misaligned,
                     Place& place, GuestError& error);
/// The offset added to the address register; 0 for atomics.
inline std::uint32_t offset_of(const isa::Instruction& instruction) {
  return static_cast<std::uint32_t>(instruction.unit == isa::Unit::kAtomic ? 0 : instruction.imm);
}
/// Lane 0 only, if all active lanes have its address and it is not an atomic; otherwise the active lanes.
std::uint32_t merge_duplicates(const Ready& ready);
/// The lanes that access memory: the active ones, or lane 0 for all if duplicates are merged and all have its address.
/// Not for misaligned accesses.
inline std::uint32_t lanes_to_access(const Ready& ready, const LoadStoreParams& params) {
  return params.merge_duplicates ? merge_duplicates(ready) : ready.mask;
}
/// True if the environment completes a misaligned access; never for atomics.
bool completes_misaligned(const isa::Instruction& instruction, Misaligned misaligned,
                          isa::Privilege privilege);

}  // namespace spica::simt_core
