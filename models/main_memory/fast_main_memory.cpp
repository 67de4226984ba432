// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/fast_main_memory.h"

#include "models/base/checkpoint.h"

namespace spica::main_memory {

void FastMainMemory::architecture(base::Checkpoint& checkpoint) { storage_.checkpoint(checkpoint); }

bool FastMainMemory::timing(base::Checkpoint& checkpoint) {
  checkpoint(reservations_);
  return true;
}

}  // namespace spica::main_memory
