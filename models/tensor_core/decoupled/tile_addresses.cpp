// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/decoupled/tile_addresses.h"

#include <fmt/format.h>

#include "models/protocol/payload/tensor_shape.h"

namespace spica::tensor_core {

using protocol::FaultKind;
using protocol::Severity;
using simt_core::GuestError;

namespace {

bool find_tile(const isa::RegisterFile& registers, std::uint8_t row, char operand,
               const protocol::AddressMap& map, std::uint32_t& offset, GuestError& error) {
  const std::uint32_t address = registers.row(row)[0];
  const protocol::Region* region = map.find(address);
  const std::uint64_t last = std::uint64_t{address} + protocol::kTensorTileBytes - 1;
  if (region == nullptr || region->route != protocol::Route::kShared || !region->contains(last)) {
    error = {FaultKind::kTilePlace, Severity::kFault,
             fmt::format("lane 0: the {} bytes of tile {} must lie in shared memory",
                         protocol::kTensorTileBytes, operand),
             true, address};
    return false;
  }
  if (address % protocol::kTensorBlockBytes != 0) {
    error = {FaultKind::kMisalignedAccess, Severity::kFault,
             fmt::format("lane 0: the address of tile {} must be a multiple of {}", operand,
                         protocol::kTensorBlockBytes),
             true, address};
    return false;
  }
  offset = address - static_cast<std::uint32_t>(region->base);
  return true;
}

}  // namespace

bool find_tiles(const isa::Instruction& instruction, const isa::RegisterFile& registers,
                const protocol::AddressMap& map, Tiles& tiles, GuestError& error) {
  if (find_tile(registers, instruction.rs1, 'A', map, tiles.a, error) &&
      find_tile(registers, instruction.rs2, 'B', map, tiles.b, error))
    return true;
  if (isa::names_other_tensor_style(instruction))
    error.detail +=
        "; the word is wmma only on synchronous tensor cores, and those of this configuration are "
        "decoupled (tensor_core.style)";
  return false;
}

}  // namespace spica::tensor_core
