// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/load_store_unit.h"

#include "models/base/hot_inline.h"
#include "models/simt_core/warp/address_checks.h"

namespace spica::simt_core {

namespace {

IssueReason producer_of(protocol::Route route) {
  static constexpr IssueReason kProducers[] = {IssueReason::kGlobalLoad, IssueReason::kSharedLoad,
                                               IssueReason::kPeripheral, IssueReason::kGlobalLoad};
  static_assert(static_cast<int>(protocol::Route::kShared) == 1 &&
                static_cast<int>(protocol::Route::kPeripheral) == 2 &&
                static_cast<int>(protocol::Route::kUnmapped) == 3);
  return kProducers[static_cast<unsigned>(route)];
}

/// For what waits in front of the queue, in it, and for answers.
std::size_t slots_of(const Params& params) {
  return params.load_store.queue_depth + 2 * params.load_store.source_ids +
         params.warps * (1 + params.operand_depth);
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const Stages& stages, Agenda& agenda, MemoryPorts& ports, unsigned number,
                             unsigned queue)
    : BufferedUnit(stages, agenda, number),
      slots_(slots_of(stages.core.params), MemoryPorts::first_tag(queue),
             stages.core.params.load_store.lanes == Lanes::kIndependent ? &ports.wires() : nullptr, *this,
             stages.accesses),
      queue_(stages.core.params.load_store, static_cast<unsigned>(stages.core.params.lanes), queue, slots_,
             *this, ports),
      writer_(stages.core.state, slots_, static_cast<unsigned>(stages.core.params.lanes)),
      stale_(queue == 0 ? stages.core.params.load_store.stale_fence_entries : 0),
      counts_latency_(stages.core.counts_latency()) {}

void LoadStoreUnit::reset() {
  BufferedUnit::reset();
  slots_.reset();
  queue_.reset();
  stale_.reset();
  load_cycles_ = 0;
}

SPICA_HOT_INLINE base::Cycle LoadStoreUnit::take(unsigned, const Dispatched& entry, base::Cycle,
                                                 base::Cycle taken) {
  queue_.enqueue(entry.slot, taken);
  plan(queue_.due());
  return 1;
}

/// The requests in `slot` go to the queue.
SPICA_HOT_INLINE void LoadStoreUnit::start(const Candidate& c, unsigned slot) {
  if (counts_latency_) slots_.issued(slot) = c.now;
  // Room in the queue stays: no other unit fills it. What acts when it reaches the head shows when it comes.
  dispatch(c, queue_.has_room() && slots_.is_plain(slot) && !stale_.on(), slot);
}

SPICA_HOT_INLINE bool LoadStoreUnit::send(const Candidate& c, const WarpRequests::Made& made) {
  start(c, made.slot);
  if (stages_.core.hints.any()) stages_.core.hints.issued(c.warp, c.instruction.unit, made.route);
  issue(c, producer_of(made.route));
  return true;
}

bool LoadStoreUnit::send_fence(const Candidate& c) {
  if (stages_.core.params.load_store.fence_waits == FenceWaits::kWarp && stages_.accesses.waits_for(c.warp)) {
    stages_.scoreboard.block(c.warp, IssueReason::kFence);  // until they are done
    return false;
  }
  stages_.core.hints.order(1u << c.warp);
  dispatch(c, false, requests_.make_fence(c));
  issue(c, IssueReason::kGlobalLoad);
  return true;
}

/// False: the warp waits.
SPICA_HOT_INLINE bool LoadStoreUnit::can_take(const Candidate& c) {
  if (!has_room(c)) return false;
  if (slots_.has_free()) return true;
  stages_.scoreboard.retry(c.warp, IssueReason::kMemoryQueue);
  return false;
}

bool LoadStoreUnit::offer(const Candidate& c) {
  if (__builtin_expect(c.instruction.unit == isa::Unit::kAsync, 0)) return offer_async(c);
  if (!can_take(c)) return false;
  if (c.instruction.unit == isa::Unit::kFence) return send_fence(c);
  const WarpRequests::Made made = requests_.make(c);
  return made.slot != OperationSlots::kNone ? send(c, made) : offer_apart(c);
}

/// Asynchronous copies, and what ends and awaits their groups.
bool LoadStoreUnit::offer_async(const Candidate& c) {
  const Context& core = stages_.core;
  GuestError error;
  if (!check_async({c.instruction, c.pc, core.state[c.warp].registers, c.mask}, core.params, core.map, error))
    return refuse(c, error);
  if (c.instruction.format == isa::Format::kAsyncCopy) {
    if (!can_take(c)) return false;
    start(c, requests_.make_copy(c));
    ++stages_.core.stats.async_copies;
  } else if (c.instruction.opcode == isa::Opcode::kCpAsyncCommit) {
    queue_.copies().commit_group(c.warp);
  } else if (queue_.copies().waits(c.warp, static_cast<unsigned>(c.instruction.imm))) {
    stages_.scoreboard.block(c.warp, IssueReason::kGlobalLoad);  // until on_copies_landed()
    return false;
  }
  core.hints.order(1u << c.warp);
  if (c.instruction.format != isa::Format::kAsyncCopy) ++stages_.core.stats.dispatches;
  const base::Cycle due = c.now + core.params.operand_latency + core.params.commit_latency + 1;
  stages_.commit.complete(c.now, c.warp, c.instruction, c.pc, c.lanes, due, false);
  stages_.core.core.wake_at(due);
  issue(c, IssueReason::kGlobalLoad);
  return true;
}

/// Lanes that are not together, or are to be refused.
bool LoadStoreUnit::offer_apart(const Candidate& c) {
  GuestError error;
  const WarpRequests::Made made = requests_.make_apart(c, error);
  if (made.slot == OperationSlots::kNone) return refuse(c, error);
  if (c.instruction.unit != isa::Unit::kLoad)
    stages_.core.hints.order(1u << c.warp);  // to several memories, perhaps
  return send(c, made);
}

void LoadStoreUnit::tick_with_stale_operands(base::Cycle now) {
  const bool busy = !queue_.empty();
  const std::uint32_t waiting = buffers_.waiting();
  if (!stale_.locks(busy) && queue_.has_room() && buffers_.due() <= now) take_next(now);
  if (busy && buffers_.waiting() == waiting) stale_.observe(now);
  replan(busy || !buffers_.empty() ? now + 1 : next_due());
}

bool LoadStoreUnit::offer_phase(const Candidate& c, const FragmentMove& move, unsigned phase) {
  if (!can_take(c)) return false;
  const unsigned slot = requests_.make_phase(c, move, phase);
  writer_.set_phase(slot, move, phase);
  start(c, slot);
  stages_.scoreboard.issue(c.warp, 0);
  return true;
}

void LoadStoreUnit::tick(base::Cycle now) {
  if (queue_.due() <= now) queue_.tick(now);
  if (buffers_.empty() && !stale_.on()) replan(queue_.due());
  else tick_buffers(now);
}

[[gnu::noinline]] void LoadStoreUnit::tick_buffers(base::Cycle now) {
  if (stale_.on()) return tick_with_stale_operands(now);
  if (queue_.has_room() && buffers_.due() <= now) take_next(now);
  replan(next_due());
}

SPICA_HOT_INLINE void LoadStoreUnit::commit(unsigned slot, const MemoryOperation& operation) {
  const base::Cycle now = stages_.core.now();
  const bool fragment = operation.instruction->format == isa::Format::kFragmentLoad;
  const bool returns_data = operation.instruction->written != 0 || fragment;
  if (returns_data && counts_latency_) load_cycles_ += now - slots_.issued(slot);
  const base::Cycle due = now + (returns_data ? stages_.core.params.load_store.response_latency : 1);
  stages_.commit.complete(now, operation.warp, *operation.instruction, operation.pc, operation.lanes, due,
                          operation.instruction->opcode == isa::Opcode::kFenceI);
  stages_.core.core.wake_at(due);
  if (__builtin_expect(fragment, 0)) fragment_loads_->on_phase(operation.warp, writer_.fragment(slot), due);
}

void LoadStoreUnit::on_load_data(unsigned slot, const MemoryOperation& operation,
                                 const protocol::WarpAccess& access, bool last) {
  writer_.write(slot, operation, access, last);
  if (last) commit(slot, operation);
  else if (stages_.core.params.load_store.lanes == Lanes::kIndependent) on_lanes(operation);
}

/// Lanes that come before others are written back by themselves.
void LoadStoreUnit::on_lanes(const MemoryOperation& operation) {
  ++stages_.core.stats.partial_answers;
  const base::Cycle due = stages_.core.now() + stages_.core.params.load_store.response_latency;
  stages_.commit.hold_next_port(operation.warp, due);
}

void LoadStoreUnit::on_memory_done(unsigned slot, const MemoryOperation& operation) {
  // Until now a fence was where the next instruction comes.
  if (operation.instruction->unit == isa::Unit::kFence) buffers_.hold_until(stages_.core.now() + 1);
  commit(slot, operation);
}

void LoadStoreUnit::on_copies_landed(unsigned warp) {
  stages_.scoreboard.wake(warp);
  stages_.core.core.wake_now();
}

void LoadStoreUnit::on_access_error(const protocol::Payload& payload) {
  const protocol::Origin& source = protocol::info_of(payload).origin;
  Context& core = stages_.core;
  core.executor.refuse_late(refused_access(payload, core.map), core.at(source.warp, source.pc));
  stages_.account.refuse(source.warp, source.pc);
  core.core.wake_now();
}

void LoadStoreUnit::on_memory_event() {
  plan(stages_.core.now());
  stages_.core.core.wake_now();
}

}  // namespace spica::simt_core
