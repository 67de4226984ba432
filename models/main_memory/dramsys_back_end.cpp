// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake has found a DRAMSys.
#include "models/main_memory/dramsys_back_end.h"

#include <DRAMSys/DRAMSys.h>

#include "models/main_memory/main_memory_params.h"
#include "models/main_memory/tlm_back_end.h"

namespace spica::main_memory {

namespace {

/// DRAMSys stores no data here ("StoreMode": "NoStorage"). Offsets beyond the size of its device wrap around, so
/// different addresses can share rows.
class DramsysBackEnd final : public TlmBackEnd {
 public:
  explicit DramsysBackEnd(const BackEndContext& context)
      : TlmBackEnd(context, context.params.dramsys.requests),
        dramsys_("dramsys", DRAMSys::Config::from_path(context.params.dramsys.config)) {
    device.bind(dramsys_.tSocket);
  }

 private:
  std::uint64_t address_of(std::uint64_t offset) const override { return offset % dramsys_.memorySize(); }

  DRAMSys::DRAMSys dramsys_;
};

}  // namespace

bool has_dramsys() { return true; }

std::unique_ptr<BackEnd> make_dramsys_back_end(const BackEndContext& context) {
  return std::make_unique<DramsysBackEnd>(context);
}

}  // namespace spica::main_memory
