// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "models/base/checkpoint.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::architecture(base::Checkpoint& checkpoint) {
  std::uint64_t lane_instructions = this->lane_instructions();
  std::vector<std::uint32_t> pcs;
  for (unsigned w = 0; w < core_.state.warps(); ++w) pcs.push_back(next_pc(w));
  checkpoint(core_.state, core_.executor, pcs, lane_instructions);
  if (!checkpoint.loads()) return;
  core_.executor.set_lane_instructions(lane_instructions);
  for (unsigned w = 0; w < core_.state.warps(); ++w) {
    front_end_.jump(w, pcs[w]);
    core_.record_state(w);
  }
  front_end_.hold(core_.state.at_barrier());
  wake_next();
}

void SimtCore::objects(base::Checkpoint& checkpoint) {
  front_end_.add_to(checkpoint);
  units_.add_to(checkpoint);
  for (unsigned w = 0; w < core_.state.warps(); ++w)
    for (unsigned row = 0; row < isa::kRegisterRows; ++row)
      checkpoint.objects().add(core_.state[w].registers.row(row));
}

bool SimtCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(core_, icache, gmem, smem, mmio, scoreboard_, account_, commit_, flow_, accesses_, lines_,
             paths_, issue_);
  core_.watchers.timing(checkpoint);
  front_end_.timing(checkpoint);
  units_.timing(checkpoint);
  return true;
}

void Watchers::timing(base::Checkpoint& checkpoint) {
  std::string saved;
  if (!checkpoint.loads() && profile_ != nullptr) {
    std::ostringstream out;
    base::Checkpoint to(out, checkpoint.objects());
    to(*profile_);
    saved = out.str();
  }
  checkpoint(saved);
  if (!checkpoint.loads() || saved.empty() || profile_ == nullptr) return;
  std::istringstream in(saved);
  base::Checkpoint from(in, checkpoint.objects());
  from(*profile_);
}

}  // namespace spica::simt_core
