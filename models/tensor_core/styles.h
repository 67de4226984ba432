// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/assembly/kinds.h"
#include "models/isa/instruction.h"
#include "models/simt_core/fast/tensor_unit.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"

namespace spica::tensor_core {

/// Everything a machine needs for a style of tensor cores. The folder of the style defines it in the function named by
/// isa/tensor_styles.def, such as warp_mma_parts().
struct StyleParts {
  /// The tensor core of each core, created from TensorCoreParams. Its slots have the name of the kind.
  assembly::Kind block;
  /// The unit inside the core, for both modes.
  simt_core::TensorUnitMaker unit;
  simt_core::fast::TensorUnitMaker fast_unit;
  /// The unit's port that is linked to `in` of the block.
  std::string port;
  /// A port of the block and an export of the unit that are linked in cycle mode; empty: none.
  std::string back, back_to;
  /// Sockets of the block, each linked to a wide port of shared memory.
  std::vector<std::string> wide;
};

/// nullptr for TensorStyle::kUnknown.
const StyleParts* parts_of(isa::TensorStyle style);
/// The parts of all styles, each once.
std::vector<const StyleParts*> all_parts();

}  // namespace spica::tensor_core
