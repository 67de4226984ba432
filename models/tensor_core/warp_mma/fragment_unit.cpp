// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/fragment_unit.h"

#include "models/base/checkpoint.h"

namespace spica::tensor_core::warp_mma {

using simt_core::Context;
using simt_core::GuestError;
using simt_core::IssueReason;

FragmentUnit::FragmentUnit(const simt_core::TensorSite& site)
    : TensorUnit(site.stages, site.agenda, site.number), load_store_(site.load_store) {
  for (simt_core::LoadStoreUnit* unit : load_store_) unit->connect(*this);
}

bool FragmentUnit::offer(const Candidate& c) {
  if (warps_[c.warp].current != nullptr) return resume(c.warp, c.now);
  GuestError error;
  const isa::RegisterFile& registers = stages_.core.state[c.warp].registers;
  if (!check_fragments({c.instruction, c.pc, registers, c.mask}, stages_.core.params, tensor_, error))
    return refuse(c, error);
  if (stages_.scoreboard.waits_for(c.warp, c.instruction.hazards)) return false;
  const bool operation = c.instruction.multiplies_fragments();
  if (waits_for_fragments(c.warp, isa::fragments_of(c.instruction), c.now, operation)) return false;
  if (operation) return begin(c);
  if (c.instruction.moves_fragment()) return begin_move(c);
  move(c);
  return true;
}

/// True: the warp waits until they are there.
bool FragmentUnit::waits_for_fragments(unsigned w, const isa::FragmentUse& use, base::Cycle now,
                                       bool operation) {
  const Warp& warp = warps_[w];
  if ((warp.loading & (use.reads | use.writes)) != 0) {
    const bool shared = warp.move.route == protocol::Route::kShared;
    stages_.scoreboard.block(
        w, shared ? IssueReason::kSharedLoad : IssueReason::kGlobalLoad);  // until on_phase()
    return true;
  }
  // The tensor core knows when which part of C is there; D is C, or overwritten in order.
  const std::uint32_t awaited = operation ? use.reads & ~use.writes : use.reads | use.writes;
  base::Cycle until = 0;
  for (std::uint32_t rest = awaited; rest != 0; rest &= rest - 1)
    until = std::max(until, warp.due[static_cast<unsigned>(__builtin_ctz(rest))]);
  for (std::uint32_t rest = use.writes; rest != 0; rest &= rest - 1)
    until = std::max(until, warp.read[static_cast<unsigned>(__builtin_ctz(rest))]);
  if (until <= now) return false;
  stages_.scoreboard.block(w, IssueReason::kTensor);
  wait_until(w, until);
  return true;
}

bool FragmentUnit::begin(const Candidate& c) {
  Warp& warp = warps_[c.warp];
  warp.current = &c.instruction;
  warp.pc = c.pc;
  const std::uint32_t word = c.instruction.word;
  operating_ |= 1u << c.warp;
  if (reuse_ != nullptr) reuse_->overwrite(c.warp, isa::fragment_d(word));
  tensor_->begin(
      {c.warp, static_cast<unsigned>(c.instruction.imm), isa::fragment_c(word), isa::fragment_d(word)},
      c.now);
  return resume(c.warp, c.now);
}

bool FragmentUnit::begin_move(const Candidate& c) {
  Warp& warp = warps_[c.warp];
  const Context& core = stages_.core;
  GuestError error;
  if (!find_move({c.instruction, c.pc, core.state[c.warp].registers, c.mask}, core.map, *tensor_, warp.move,
                 error))
    return refuse(c, error);
  if (reuse_ != nullptr && reuses(c)) return true;
  warp.current = &c.instruction;
  warp.pc = c.pc;
  warp.phase = 0;
  return resume_phase(c.warp, c.now);
}

bool FragmentUnit::resume(unsigned w, base::Cycle now) {
  const bool operation = warps_[w].current->multiplies_fragments();
  return operation ? resume_step(w, now) : resume_phase(w, now);
}

bool FragmentUnit::resume_phase(unsigned w, base::Cycle now) {
  Warp& warp = warps_[w];
  Context& core = stages_.core;
  const Decoded& instruction = *warp.current;
  const auto lanes = static_cast<unsigned>(core.params.lanes);
  const bool last = warp.phase + 1 == warp.move.access->phases.size();
  const Candidate c{w, now, core.state[w].mask(), last ? lanes : 0, false, warp.pc, instruction};
  if (!load_store_[w % load_store_.size()]->offer_phase(c, warp.move, warp.phase)) return false;
  stages_.account.issue(w, warp.pc);
  const bool store = instruction.format == isa::Format::kFragmentStore;
  if (!store) {
    ++warp.loads[warp.move.fragment];
    warp.loading |= 1u << warp.move.fragment;
  }
  ++warp.phase;
  if (!last) return false;
  warp.current = nullptr;
  core.stats.count_issue(store ? isa::Unit::kStore : isa::Unit::kLoad, lanes, instruction.rows_read, false);
  if (core.watchers.any()) notify_issue(c, warp.move.access);
  return true;
}

void FragmentUnit::on_phase(unsigned w, unsigned fragment, base::Cycle due) {
  Warp& warp = warps_[w];
  if (--warp.loads[fragment] != 0) return;
  arrive(w, fragment, due);
  if (__builtin_expect(!followers_.empty(), 0) && !loads(w, fragment)) notify_followers(w, fragment, due);
}

void FragmentUnit::arrive(unsigned w, unsigned fragment, base::Cycle due) {
  const Warp& warp = warps_[w];
  warps_[w].loading &= ~(1u << fragment);
  record_due(w, fragment, due);
  // It may wait for this, or for something that comes before.
  wait_until(w, (waiting_ >> w & 1) != 0 ? std::min(due, warp.wakes) : due);
}

bool FragmentUnit::resume_step(unsigned w, base::Cycle now) {
  Warp& warp = warps_[w];
  const base::Cycle ready = std::max(tensor_->ready(w), stages_.paths.free_for_tensor());
  if (ready > now) {
    stages_.scoreboard.block(w, IssueReason::kTensor);
    wait_until(w, ready);
    return false;
  }
  Context& core = stages_.core;
  const Decoded& operation = *warp.current;
  const protocol::WarpMmaIf::Step step = tensor_->issue(w, now);
  stages_.account.issue(w, warp.pc);
  stages_.paths.take_for_tensor(now + step.operand_cycles);
  const auto lanes = static_cast<unsigned>(core.params.lanes);
  core.stats.count_micro_op(step.last, lanes);
  core.stats.register_reads += step.rows_read;
  core.stats.register_writes += step.rows_written;
  if (core.watchers.any())
    core.watchers.issue_micro_op({now, core.origin(w, warp.pc), operation, core.state[w].registers}, lanes,
                                 step.last);
  hold_others(w, step.free);
  if (!step.last) {
    stages_.scoreboard.block(w, IssueReason::kTensor);
    wait_until(w, step.next);
    return false;
  }
  simt_core::WarpState& state = core.state[w];
  simt_core::execute_fragments(operation, state.fragments, state.registers, *tensor_);
  stages_.scoreboard.issue(w, 0);
  stages_.commit.complete(now, w, operation, warp.pc, lanes, step.result, false);
  core.core.wake_at(step.result);
  record_due(w, isa::fragment_d(operation.word), step.result);
  for (const unsigned fragment : {isa::fragment_a(operation.word), isa::fragment_b(operation.word)})
    warp.read[fragment] = std::max(warp.read[fragment], step.operands);
  warp.current = nullptr;
  operating_ &= ~(1u << w);
  plan(step.result);
  return true;
}

/// A row between a fragment and the register file, or into all of a fragment.
void FragmentUnit::move(const Candidate& c) {
  simt_core::WarpState& state = stages_.core.state[c.warp];
  if (reuse_ != nullptr)
    for (std::uint32_t rest = isa::fragments_of(c.instruction).writes; rest != 0; rest &= rest - 1)
      reuse_->overwrite(c.warp, static_cast<unsigned>(__builtin_ctz(rest)));
  simt_core::execute_fragments(c.instruction, state.fragments, state.registers, *tensor_);
  const simt_core::Params& params = stages_.core.params;
  stages_.commit.complete(c.now, c.warp, c.instruction, c.pc, c.lanes,
                          c.now + params.operand_latency + params.fpu_misc_latency + params.commit_latency,
                          false);
  ++stages_.core.stats.dispatches;
  issue(c, IssueReason::kTensor);
}

void FragmentUnit::record_due(unsigned w, unsigned fragment, base::Cycle due) {
  warps_[w].due[fragment] = due;
  last_due_ = std::max(last_due_, due);
}

void FragmentUnit::wait_until(unsigned w, base::Cycle cycle) {
  warps_[w].wakes = cycle;
  waiting_ |= 1u << w;
  plan(cycle);
  stages_.core.core.wake_at(cycle);
}

/// Operations of other warps that could try do so when the tensor core is free again.
void FragmentUnit::hold_others(unsigned w, base::Cycle until) {
  const std::uint32_t others = stages_.scoreboard.unblocked(operating_ & ~(1u << w));
  for (std::uint32_t rest = others; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<unsigned>(__builtin_ctz(rest));
    if (warps_[other].loading != 0) continue;  // on_phase() says when it is tried
    stages_.scoreboard.block(other, IssueReason::kTensor);
    wait_until(other, until);
  }
}

void FragmentUnit::tick(base::Cycle now) {
  base::Cycle next = last_due_ > now ? last_due_ : base::kNever;
  for (std::uint32_t rest = waiting_; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    if (warps_[w].wakes > now) {
      next = std::min(next, warps_[w].wakes);
      continue;
    }
    waiting_ &= ~(1u << w);
    stages_.scoreboard.wake(w);
  }
  replan(next);
}

void FragmentUnit::reset() {
  ExecutionUnit::reset();
  warps_.fill({});
  followers_.clear();
  last_due_ = 0;
  waiting_ = operating_ = 0;
}

void FragmentUnit::timing(base::Checkpoint& checkpoint) {
  ExecutionUnit::timing(checkpoint);
  checkpoint(last_due_, waiting_, operating_, warps_, followers_);
}

}  // namespace spica::tensor_core::warp_mma
