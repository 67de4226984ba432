// SPDX-License-Identifier: Apache-2.0
// What execution units have taken: when it is done, and warp control.
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::run(const Units::Taken& taken) {
  ++stats_.dispatches;
  scoreboard_.wake(taken.warp);  // it may have waited for room here
  if (taken.unit == Units::kLoadStore) {
    load_store_.enqueue(taken.entry->slot, now());
    memory_due_ = load_store_.due();
    units_.open_load_store(load_store_.queue_has_room());
    return;
  }
  const base::Cycle due = now() + taken.latency + params_.commit_latency;
  if (taken.entry->instruction->unit == isa::Unit::kWarpControl)
    execute_warp_control(taken.warp, *taken.entry, due);
  else complete(taken.warp, *taken.entry, due, taken.unlocks_fetch);
}

void SimtCore::complete(unsigned w, const Dispatched& entry, base::Cycle due, bool unlocks_fetch) {
  write_back_.schedule_in_order(
      now(), due,
      {static_cast<std::uint8_t>(w), unlocks_fetch, static_cast<std::uint8_t>(base::count_bits(entry.mask)),
       entry.pc, entry.instruction->writes()});
}

void SimtCore::commit(const Completion& completion) {
  const unsigned w = completion.warp;
  ++stats_.commits;
  write_back_.leave_port(w, now());
  scoreboard_.commit(w, completion.writes);
  // A cycle that the third register port takes must show which warps would try.
  if (decoupled_tensor_ != nullptr) scoreboard_.wake(w);
  committed_threads_ += completion.lanes;
  if (probe_ != nullptr && completion.lanes != 0)
    probe_->on_commit(now(), origin(w, completion.pc, state_[w].simt.mask()), state_[w].registers);
  if (completion.unlocks_fetch) front_end_.resolve(1u << w);
}

void SimtCore::execute_warp_control(unsigned w, const Dispatched& entry, base::Cycle due) {
  const std::uint32_t active_before = state_.active();
  const Effect effect = executor_.execute({w, entry.pc, entry.mask, now()}, *entry.instruction);
  if (!effect.done()) {
    refused(effect, w, entry.pc);
    return;
  }
  switch (effect.kind) {
    case Effect::Kind::kJump: front_end_.jump(w, effect.pc); break;
    case Effect::Kind::kSpawn: start_warps(w, active_before, effect); break;
    case Effect::Kind::kBarrier: come_to_barrier(w, effect.complete); break;
    default: break;
  }
  complete(w, entry, due, effect.kind != Effect::Kind::kBarrier);
  if (effect.ended && probe_ != nullptr) probe_->on_warp_end(now(), origin(w, entry.pc, 0));
}

void SimtCore::start_warps(unsigned w, std::uint32_t active_before, const Effect& effect) {
  front_end_.unlock(effect.warps & ~active_before);
  for (std::uint32_t rest = effect.warps; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(rest));
    redirect(i, effect.pc);
    if (probe_ != nullptr)
      probe_->on_warp_start(now(), origin(w, account_.pc(w), state_[w].simt.mask()), identity_.core, i,
                            effect.pc);
  }
}

void SimtCore::come_to_barrier(unsigned w, bool complete) {
  ++stats_.barriers;
  const WarpState& warp = state_[w];
  if (probe_ != nullptr)
    probe_->on_barrier_arrival(now(), origin(w, account_.pc(w), warp.simt.mask()), warp.barrier_id,
                               warp.barrier_count);
  if (complete) barrier_requests_.schedule(now(), now() + params_.barrier_request_latency, warp.barrier_id);
}

void SimtCore::release(unsigned id) {
  if (probe_ != nullptr) probe_->on_barrier_release(now(), identity_.core, id);
  front_end_.resolve(state_.release(id));
  wake_now();
}

}  // namespace spica::simt_core
