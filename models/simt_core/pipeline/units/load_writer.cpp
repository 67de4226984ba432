// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/load_writer.h"

#include "models/isa/execute.h"

namespace spica::simt_core {

/// Some lanes, or not a word of each.
void LoadWriter::write_lanes(unsigned slot, const MemoryOperation& operation,
                             const protocol::WarpAccess& access, bool last) {
  const isa::Instruction& instruction = *operation.instruction;
  if ((operation.special & MemoryOperation::kFragment) != 0)
    return write_fragment(operation.warp, phases_[slot], access);
  if (instruction.rd == isa::kNoRegister) return;
  if ((operation.special & MemoryOperation::kBytewise) != 0) return write_byte(slot, operation, access, last);
  std::uint32_t* row = state_[operation.warp].registers.row(instruction.rd);
  if ((operation.special & MemoryOperation::kMerged) != 0) {
    const std::uint32_t value = isa::extend_load(instruction, access.data[0]);
    for (std::uint32_t rest = operation.mask; rest != 0; rest &= rest - 1) row[__builtin_ctz(rest)] = value;
    return;
  }
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = isa::extend_load(instruction, access.data[lane]);
  }
}

/// One byte of a misaligned load has arrived; the last one extends the value.
void LoadWriter::write_byte(unsigned slot, const MemoryOperation& operation,
                            const protocol::WarpAccess& access, bool last) {
  const unsigned shift = 8 * slots_.part_of(slot, access);
  std::uint32_t* row = state_[operation.warp].registers.row(operation.instruction->rd);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = (row[lane] & ~(0xFFu << shift)) | (access.data[lane] & 0xFF) << shift;
    if (last) row[lane] = isa::extend_load(*operation.instruction, row[lane]);
  }
}

void LoadWriter::write_fragment(unsigned warp, const Phase& part, const protocol::WarpAccess& access) {
  std::uint32_t* const fragment = state_[warp].fragments.fragment(part.move.fragment);
  const auto& pieces = part.move.access->phases[part.phase];
  if (access.mask == ~0u && part.move.access->bytes == 4) {  // whole registers
    const auto& places = part.move.access->places[part.phase];
#pragma GCC unroll 8
    for (unsigned i = 0; i < places.size(); ++i) fragment[places[i]] = access.data[i];
    return;
  }
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(rest));
    set_piece(*part.move.access, pieces[i], fragment, access.data[i]);
  }
}

}  // namespace spica::simt_core
