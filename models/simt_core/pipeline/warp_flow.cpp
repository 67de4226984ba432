// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/warp_flow.h"

namespace spica::simt_core {

bool WarpFlow::take_unusual(const Effect& effect, unsigned w, std::uint32_t pc) {
  switch (effect.kind) {
    case Effect::Kind::kJump: front_end_.jump(w, effect.pc); return true;
    case Effect::Kind::kSpawn: start_warps(effect, w, pc); return true;
    case Effect::Kind::kBarrier: come_to_barrier(effect, w, pc); return true;
    case Effect::Kind::kTrap:
      account_.refuse(w, pc);
      ++core_.stats.traps;
      if (auto* probe = core_.watchers.probe()) probe->on_trap(core_.now(), core_.origin(w, pc));
      redirect(w, effect.pc);
      return false;
    case Effect::Kind::kFault: account_.refuse(w, pc); return false;
    default: return true;
  }
}

void WarpFlow::redirect(unsigned w, std::uint32_t pc) {
  front_end_.redirect(w, pc);
  scoreboard_.wake(w);
  scoreboard_.retry(w, IssueReason::kFetch);
}

void WarpFlow::start_warps(const Effect& effect, unsigned by, std::uint32_t pc) {
  for (std::uint32_t rest = effect.warps; rest != 0; rest &= rest - 1)
    start(static_cast<unsigned>(__builtin_ctz(rest)), effect.pc, core_.origin(by, pc));
}

void WarpFlow::start(unsigned w, std::uint32_t pc, const protocol::Origin& by) {
  redirect(w, pc);
  core_.hints.order(1u << w);
  if (auto* probe = core_.watchers.probe()) probe->on_warp_start(core_.now(), by, core_.identity.core, w, pc);
}

void WarpFlow::end_drained() {
  for (std::uint32_t rest = ending_; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    if (scoreboard_.in_flight(w) != 0) continue;
    ending_ &= ~(1u << w);
    ended_(w);
  }
}

void WarpFlow::come_to_barrier(const Effect& effect, unsigned w, std::uint32_t pc) {
  ++core_.stats.barriers;
  const WarpState& warp = core_.state[w];
  if (auto* probe = core_.watchers.probe())
    probe->on_barrier_arrival(core_.now(), core_.origin(w, pc), warp.barrier_id, warp.barrier_count);
  if (effect.complete) request_release(warp.barrier_id);
}

std::uint32_t WarpFlow::release(unsigned id) {
  if (auto* probe = core_.watchers.probe()) probe->on_barrier_release(core_.now(), core_.identity.core, id);
  const std::uint32_t warps = core_.state.release(id);
  core_.hints.order(warps);
  front_end_.resolve(warps);
  core_.core.wake_now();
  return warps;
}

}  // namespace spica::simt_core
