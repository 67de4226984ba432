// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/assembly/kinds.h"
#include "models/isa/instruction.h"
#include "models/simt_core/fast/tensor_unit.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"

namespace spica::tensor_core {

/// All that a machine must know of a style of tensor cores. The folder of the style defines it, in a function that
/// isa/tensor_styles.def names: warp_mma_parts().
struct StyleParts {
  /// The tensor core of each core, made from TensorCoreParams. Its slots are named like the kind.
  assembly::Kind block;
  /// The part in the core, of both modes.
  simt_core::TensorUnitMaker unit;
  simt_core::fast::TensorUnitMaker fast_unit;
  /// The unit's port, linked to `in` of the block.
  std::string port;
  /// A port of the block and an export of the unit, linked in the cycle mode; empty: there are none.
  std::string back, back_to;
  /// Sockets of the block, each to a wide port of shared memory.
  std::vector<std::string> wide;
};

/// nullptr for TensorStyle::kUnknown.
const StyleParts* parts_of(isa::TensorStyle style);
/// Each once.
std::vector<const StyleParts*> all_parts();

}  // namespace spica::tensor_core
