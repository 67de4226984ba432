// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/back_end.h"

#include "models/main_memory/dram_back_end.h"
#include "models/main_memory/dramsys_back_end.h"
#include "models/main_memory/fixed_back_end.h"

namespace spica::main_memory {

std::unique_ptr<BackEnd> make_back_end(const BackEndContext& context) {
  switch (context.params.back_end) {
    case BackEndKind::kFixed: return std::make_unique<FixedBackEnd>(context);
    case BackEndKind::kDramsys: return make_dramsys_back_end(context);
    case BackEndKind::kDram: break;
  }
  return std::make_unique<DramBackEnd>(context);
}

}  // namespace spica::main_memory
