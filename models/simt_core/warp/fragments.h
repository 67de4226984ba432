// SPDX-License-Identifier: Apache-2.0
// Instructions on fragments (wmma32), in both modes.
#pragma once

#include <cstdint>

#include "models/isa/fragment_use.h"
#include "models/isa/mma_form.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/warp_access.h"
#include "models/protocol/ports/warp_mma_if.h"
#include "models/simt_core/warp/checks.h"
#include "models/simt_core/warp/fragment_file.h"

namespace spica::simt_core {

using isa::fragments_of;
using isa::FragmentUse;

/// False: `error` has the reason. `tensor`: nullptr if there is none.
bool check_fragments(const Ready& ready, const Params& params, const protocol::FunctionalWarpMmaIf* tensor,
                     GuestError& error);

/// A load or store of a fragment.
struct FragmentMove {
  const protocol::FragmentAccess* access = nullptr;
  std::uint32_t base = 0, stride = 0;  // address, and distance of rows (columns) in elements
  unsigned fragment = 0;
  protocol::Route route = protocol::Route::kUnmapped;
  protocol::Operand operand = protocol::Operand::kNone;
};
/// Finds the memory of a fragment access: one address and one stride for all lanes, aligned, in one memory. False:
/// `error` describes the error.
bool find_move(const Ready& ready, const protocol::AddressMap& map,
               const protocol::FunctionalWarpMmaIf& tensor, FragmentMove& move, GuestError& error);
/// Reads the word or part of a word of a piece from the fragment, zero-extended, and writes it back.
std::uint32_t piece_of(const protocol::FragmentAccess& access, const protocol::FragmentAccess::Piece& piece,
                       const std::uint32_t* fragment);
void set_piece(const protocol::FragmentAccess& access, const protocol::FragmentAccess::Piece& piece,
               std::uint32_t* fragment, std::uint32_t value);

/// Executes wmma32.mma, get, set and fill that check_fragments() has accepted.
void execute_fragments(const isa::Instruction& instruction, FragmentFile& fragments,
                       isa::RegisterFile& registers, protocol::FunctionalWarpMmaIf& tensor);

}  // namespace spica::simt_core
