// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/commit_stage.h"

namespace spica::simt_core {

void CommitStage::complete_product(const protocol::Origin& origin) {
  const base::Cycle now = core_.now();
  core_.core.wake_at(write_back_.schedule_at_free_port(
      now, now + 1 + core_.params.commit_latency, origin.warp,
      {origin.pc, static_cast<std::uint8_t>(base::count_bits(origin.lanes)), 0, false}));
}

}  // namespace spica::simt_core
