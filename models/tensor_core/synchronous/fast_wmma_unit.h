// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/protocol/ports/functional_tensor_if.h"
#include "models/simt_core/fast/tensor_unit.h"

namespace spica::tensor_core {

/// WmmaUnit of the fast mode.
class FastWmmaUnit final : public simt_core::fast::TensorUnit {
 public:
  using TensorUnit::TensorUnit;
  sc_core::sc_port<protocol::FunctionalTensorIf> tensor{"tensor"};
  simt_core::Effect execute(const simt_core::Executor::At& at, const isa::Instruction& instruction) override;
};

}  // namespace spica::tensor_core
