// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/synchronous/fast_wmma_unit.h"

#include "models/tensor_core/synchronous/wmma_micro_ops.h"

namespace spica::tensor_core {

simt_core::Effect FastWmmaUnit::execute(const simt_core::Executor::At& at,
                                        const isa::Instruction& instruction) {
  if (instruction.opcode != isa::Opcode::kWmma) return TensorUnit::execute(at, instruction);
  site_.executor.warn_tensor(at, instruction);
  site_.notify_issue(instruction, at.pc, nullptr);
  protocol::FunctionalTensorIf& unit = *tensor.operator->();
  isa::RegisterFile& registers = site_.state[at.warp].registers;
  for (const WmmaMicroOp& half : WmmaMicroOps::of(static_cast<unsigned>(instruction.imm)))
    if (half.substep != 0) unit.multiply_pair(half.step, at.mask, half.pair(registers));
  return {};
}

}  // namespace spica::tensor_core
