// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/matrix_unit.h"

namespace spica::matrix_unit {

void MatrixUnit::architecture(base::Checkpoint& checkpoint) {
  checkpoint(controller_, array_.multiplier(), sums_);
}

void MatrixUnit::objects(base::Checkpoint& checkpoint) {
  operands_.add_to(checkpoint);
  moves_.add_to(checkpoint);
}

/// Not saved: done_, which is used up in its cycle; log_, which keeps nothing.
bool MatrixUnit::timing(base::Checkpoint& checkpoint) {
  checkpoint(mmio, accumulator, smem_a, smem_b, dma, operands_, moves_);
  controller_.timing(checkpoint);
  checkpoint(station_, array_, rows_, register_access_, busy_, activities_, stats_);
  return true;
}

bool AcceleratorNode::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(units_);
  checkpoint(stats_);
  return true;
}

}  // namespace spica::matrix_unit
