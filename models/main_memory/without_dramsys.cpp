// SPDX-License-Identifier: Apache-2.0
// Of a build that has found no DRAMSys.
#include "models/base/invariant.h"
#include "models/main_memory/dramsys_back_end.h"
#include "models/main_memory/main_memory_params.h"

namespace spica::main_memory {

bool has_dramsys() { return false; }

std::unique_ptr<BackEnd> make_dramsys_back_end(const BackEndContext&) {
  SPICA_INVARIANT(has_dramsys());  // configurations that ask for it are refused before
  return nullptr;
}

}  // namespace spica::main_memory
