// SPDX-License-Identifier: Apache-2.0
// What a trap does to the pipeline.
//
// A trap is precise and takes the whole warp: the instruction has no effect in any lane, older ones of
// the warp finish, younger ones that were fetched are dropped. Mask and SIMT stack stay, so the handler
// runs with the lanes that were active; mtval has the address of the lowest lane at fault.
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// What a refused instruction does to the pipeline. False: it was not refused.
bool SimtCore::refused(const Effect& effect, unsigned w, std::uint32_t pc) {
  if (effect.done()) return false;
  account_.refuse(w, pc);
  if (effect.kind != Effect::Kind::kTrap) return true;
  ++stats_.traps;
  if (probe_ != nullptr) probe_->on_trap(now(), origin(w, pc, state_[w].simt.mask()));
  redirect(w, effect.pc);
  return true;
}

/// Sends a warp elsewhere: what it has fetched but not issued is dropped.
void SimtCore::redirect(unsigned w, std::uint32_t pc) {
  front_end_.redirect(w, pc, warps_[w].sequencer.active(),
                      now());  // a tensor instruction that has begun continues
  scoreboard_.wake(w);
  scoreboard_.retry(w, IssueReason::kFetch);
}

}  // namespace spica::simt_core
