// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/fast_tensor_core.h"

#include "models/base/checkpoint.h"

namespace spica::tensor_core {

bool FastTensorCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(macs_);
  return true;
}

}  // namespace spica::tensor_core
