// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/decoupled/fast_hgmma_unit.h"

#include "models/tensor_core/decoupled/tile_addresses.h"

namespace spica::tensor_core {

simt_core::Effect FastHgmmaUnit::execute(const simt_core::Executor::At& at,
                                         const isa::Instruction& instruction) {
  if (instruction.opcode == isa::Opcode::kHgmmaWait) {  // everything is done already
    site_.notify_issue(instruction, at.pc, nullptr);
    return {};
  }
  if (instruction.opcode != isa::Opcode::kHgmma) return TensorUnit::execute(at, instruction);
  isa::RegisterFile& registers = site_.state[at.warp].registers;
  Tiles tiles;
  simt_core::GuestError error;
  if (!find_tiles(instruction, registers, site_.map, tiles, error))
    return site_.executor.refuse(error, at, instruction);
  site_.notify_issue(instruction, at.pc, nullptr);
  const unsigned char* const shared = site_.memories.shared().data;
  tensor->multiply_tiles(shared + tiles.a, shared + tiles.b, registers.row(isa::kFloatRow));
  return {};
}

}  // namespace spica::tensor_core
