// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/fast_fragment_unit.h"

#include <cstring>

#include "models/simt_core/warp/fragments.h"

namespace spica::tensor_core::warp_mma {

using simt_core::Effect;
using simt_core::Executor;
using simt_core::GuestError;

namespace {

/// Records all accesses of a fragment to global memory, if there is a history of them.
void record(const protocol::MemoryPort& memory, const simt_core::FragmentMove& move, bool store) {
  if (!memory.recorded()) return;
  for (const auto& phase : move.access->phases)
    for (const auto& piece : phase)
      memory.record(move.access->address(piece, move.base, move.stride), move.access->bytes, store);
}

/// A fragment whose pieces are whole words. `matrix`: where its first element is.
void load_words(const protocol::FragmentAccess& access, const unsigned char* matrix, std::uint32_t stride,
                std::uint32_t* fragment) {
  for (std::size_t phase = 0; phase < access.phases.size(); ++phase)
    for (unsigned i = 0; i < protocol::FragmentAccess::kPieces; ++i)
      std::memcpy(fragment + access.places[phase][i],
                  matrix + access.address(access.phases[phase][i], 0, stride), sizeof *fragment);
}

}  // namespace

Effect FastFragmentUnit::execute(const Executor::At& at, const isa::Instruction& instruction) {
  protocol::FunctionalWarpMmaIf& unit = *tensor.operator->();
  simt_core::WarpState& warp = site_.state[at.warp];
  GuestError error;
  if (!check_fragments({instruction, at.pc, warp.registers, at.mask}, site_.params, &unit, error))
    return site_.executor.refuse(error, at, instruction);
  if (instruction.moves_fragment()) return move(at, instruction);
  site_.notify_issue(instruction, at.pc, nullptr);
  simt_core::execute_fragments(instruction, warp.fragments, warp.registers, unit);
  return {};
}

Effect FastFragmentUnit::move(const Executor::At& at, const isa::Instruction& instruction) {
  simt_core::WarpState& warp = site_.state[at.warp];
  simt_core::FragmentMove move;
  GuestError error;
  if (!find_move({instruction, at.pc, warp.registers, at.mask}, site_.map, *tensor.operator->(), move, error))
    return site_.executor.refuse(error, at, instruction);
  site_.notify_issue(instruction, at.pc, move.access);
  const bool is_shared = move.route == protocol::Route::kShared;
  const protocol::PointedMemory& memory = is_shared ? site_.memories.shared() : site_.memories.global();
  std::uint32_t* const fragment = warp.fragments.fragment(move.fragment);
  const bool store = instruction.format == isa::Format::kFragmentStore;
  if (!is_shared) record(site_.memories.global_port(), move, store);
  if (!store && move.access->bytes == sizeof *fragment) {
    load_words(*move.access, memory.at(move.base), move.stride, fragment);
    return {};
  }
  const protocol::Origin origin = site_.identity.origin(at.warp, at.pc, at.mask);
  for (const auto& phase : move.access->phases) {
    for (const auto& piece : phase) {
      const std::uint32_t address = move.access->address(piece, move.base, move.stride);
      std::uint32_t value = 0;
      if (store) {
        value = simt_core::piece_of(*move.access, piece, fragment);
        memory.store(origin, address, &value, move.access->bytes);
      } else {
        std::memcpy(&value, memory.at(address), move.access->bytes);
        simt_core::set_piece(*move.access, piece, fragment, value);
      }
    }
  }
  return {};
}

}  // namespace spica::tensor_core::warp_mma
