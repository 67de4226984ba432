// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/protocol/ports/warp_mma_if.h"
#include "models/simt_core/fast/tensor_unit.h"

namespace spica::tensor_core::warp_mma {

/// FragmentUnit of the fast mode.
class FastFragmentUnit final : public simt_core::fast::TensorUnit {
 public:
  using TensorUnit::TensorUnit;
  sc_core::sc_port<protocol::FunctionalWarpMmaIf> tensor{"warp_tensor"};
  simt_core::Effect execute(const simt_core::Executor::At& at, const isa::Instruction& instruction) override;

 private:
  simt_core::Effect move(const simt_core::Executor::At& at, const isa::Instruction& instruction);
};

}  // namespace spica::tensor_core::warp_mma
