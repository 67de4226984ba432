// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/fast_shared_memory.h"

#include "models/base/checkpoint.h"

namespace spica::shared_memory {

void FastSharedMemory::architecture(base::Checkpoint& checkpoint) {
  checkpoint.bytes(bytes_.data(), bytes_.size());
}

bool FastSharedMemory::timing(base::Checkpoint& checkpoint) {
  checkpoint(reservations_);
  return true;
}

}  // namespace spica::shared_memory
