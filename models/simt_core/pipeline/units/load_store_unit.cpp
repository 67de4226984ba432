// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/load_store_unit.h"

#include <cstring>

#include "models/base/hot_inline.h"
#include "models/isa/execute.h"
#include "models/simt_core/warp/address_checks.h"

namespace spica::simt_core {

namespace {

IssueReason producer_of(protocol::Route route) {
  switch (route) {
    case protocol::Route::kShared: return IssueReason::kSharedLoad;
    case protocol::Route::kPeripheral: return IssueReason::kPeripheral;
    default: return IssueReason::kGlobalLoad;
  }
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const Stages& stages, Agenda& agenda, MemoryPorts& ports, unsigned number,
                             unsigned queue)
    : BufferedUnit(stages, agenda, number),
      queue_(stages.core.params.load_store, stages.core.params.warps * (1 + stages.core.params.operand_depth),
             static_cast<unsigned>(stages.core.params.lanes), queue, *this, stages.accesses, ports),
      stale_(queue == 0 ? stages.core.params.load_store.stale_fence_entries : 0),
      counts_latency_(stages.core.counts_latency()) {}

void LoadStoreUnit::reset() {
  BufferedUnit::reset();
  queue_.reset();
  stale_.reset();
  locked_ = false;
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
  if (counts_latency_) queue_.issued(slot) = c.now;
  // Room in the queue stays: nobody else fills it. What acts when it reaches the head shows when it comes.
  dispatch(c, queue_.queue_has_room() && queue_.is_plain(slot) && !stale_.on(), slot);
}

SPICA_HOT_INLINE bool LoadStoreUnit::send(const Candidate& c, const WarpRequests::Made& made) {
  start(c, made.slot);
  issue(c, producer_of(made.route));
  return true;
}

bool LoadStoreUnit::send_fence(const Candidate& c) {
  dispatch(c, false, requests_.make_fence(c));
  issue(c, IssueReason::kGlobalLoad);
  return true;
}

/// False: the warp waits.
SPICA_HOT_INLINE bool LoadStoreUnit::can_take(const Candidate& c) {
  if (!has_room(c)) return false;
  if (queue_.has_slot()) return true;
  stages_.scoreboard.retry(c.warp, IssueReason::kMemoryQueue);
  return false;
}

bool LoadStoreUnit::offer(const Candidate& c) {
  if (__builtin_expect(c.instruction.unit == isa::Unit::kAsync, 0)) return offer_async(c);
  if (!can_take(c)) return false;
  if (c.instruction.unit == isa::Unit::kFence) return send_fence(c);
  const WarpRequests::Made made = requests_.make(c);
  return made.slot != MemoryQueue::kNoSlot ? send(c, made) : offer_apart(c);
}

/// Asynchronous copies, and what ends and awaits their groups.
bool LoadStoreUnit::offer_async(const Candidate& c) {
  const Context& core = stages_.core;
  Mistake mistake;
  if (!check_async({c.instruction, c.pc, core.state[c.warp].registers, c.mask}, core.params, core.map,
                   mistake))
    return refuse(c, mistake);
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
  if (c.instruction.format != isa::Format::kAsyncCopy) ++stages_.core.stats.dispatches;
  const base::Cycle due = c.now + core.params.operand_latency + core.params.commit_latency + 1;
  stages_.commit.complete(c.now, c.warp, c.instruction, c.pc, c.lanes, due, false);
  stages_.core.core.wake_at(due);
  issue(c, IssueReason::kGlobalLoad);
  return true;
}

/// Lanes that are not together, or are to be refused.
bool LoadStoreUnit::offer_apart(const Candidate& c) {
  Mistake mistake;
  const WarpRequests::Made made = requests_.make_apart(c, mistake);
  return made.slot != MemoryQueue::kNoSlot ? send(c, made) : refuse(c, mistake);
}

void LoadStoreUnit::tick_with_stale_operands(base::Cycle now) {
  const bool busy = !queue_.empty();
  locked_ = locked_ && busy;
  const std::uint32_t waiting = buffers_.waiting();
  if (!locked_ && queue_.queue_has_room() && buffers_.due() <= now) take_next(now);
  const bool empty = buffers_.waiting() == waiting;  // nothing has come
  if (busy && empty && stale_.shows_fence(now)) locked_ = true;
  replan(busy || !buffers_.empty() ? now + 1 : next_due());
}

bool LoadStoreUnit::offer_phase(const Candidate& c, const FragmentMove& move, unsigned phase) {
  if (!can_take(c)) return false;
  const unsigned slot = requests_.make_phase(c, move, phase);
  if (phases_.size() <= slot) phases_.resize(slot + 1);
  phases_[slot] = {move, phase};
  start(c, slot);
  stages_.scoreboard.issue(c.warp, 0);
  return true;
}

void LoadStoreUnit::write_fragment(unsigned slot, const protocol::WarpAccess& access) {
  const FragmentPhase& part = phases_[slot];
  std::uint32_t* const fragment =
      stages_.core.state[queue_.operation(slot).warp].fragments.fragment(part.move.fragment);
  const auto& pieces = part.move.access->phases[part.phase];
  if (access.mask == ~0u && part.move.access->bytes == 4) {  // whole registers
    const auto& places = part.move.access->places[part.phase];
#pragma GCC unroll 8
    for (unsigned i = 0; i < places.size(); ++i) fragment[places[i]] = access.data[i];
    return;
  }
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(rest));
    set_piece(*part.move.access, pieces[i], fragment, access.data[i]);
  }
}

void LoadStoreUnit::tick(base::Cycle now) {
  if (queue_.due() <= now) queue_.tick(now);
  if (stale_.on()) return tick_with_stale_operands(now);
  if (buffers_.empty()) return replan(queue_.due());
  if (queue_.queue_has_room() && buffers_.due() <= now) take_next(now);
  replan(next_due());
}

SPICA_HOT_INLINE void LoadStoreUnit::write_registers(const MemoryQueue::Operation& operation,
                                                     const protocol::WarpAccess& access) {
  const isa::Instruction& instruction = *operation.instruction;
  const Params& params = stages_.core.params;
  std::uint32_t* row = stages_.core.state[operation.warp].registers.row(instruction.rd);
  if ((operation.special & MemoryQueue::kMerged) != 0) {
    const std::uint32_t value = isa::extend_load(instruction, access.data[0]);
    for (std::uint32_t rest = operation.mask; rest != 0; rest &= rest - 1) row[__builtin_ctz(rest)] = value;
    return;
  }
  if (instruction.access_bytes == 4 && access.mask == ~std::uint32_t{0} >> (32 - params.lanes)) {
    if (params.lanes == 8) std::memcpy(row, access.data.data(), 32);  // a fixed size spares the call
    else std::memcpy(row, access.data.data(), params.lanes * sizeof *row);
    return;
  }
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = isa::extend_load(instruction, access.data[lane]);
  }
}

/// One byte of a misaligned load has arrived; the last one extends the value.
void LoadStoreUnit::write_byte(unsigned slot, const protocol::WarpAccess& access, bool last) {
  const MemoryQueue::Operation& operation = queue_.operation(slot);
  const unsigned shift = 8 * queue_.part_of(slot, access);
  std::uint32_t* row = stages_.core.state[operation.warp].registers.row(operation.instruction->rd);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = (row[lane] & ~(0xFFu << shift)) | (access.data[lane] & 0xFF) << shift;
    if (last) row[lane] = isa::extend_load(*operation.instruction, row[lane]);
  }
}

SPICA_HOT_INLINE void LoadStoreUnit::commit(unsigned slot) {
  const MemoryQueue::Operation& operation = queue_.operation(slot);
  const base::Cycle now = stages_.core.now();
  const bool fragment = operation.instruction->format == isa::Format::kFragmentLoad;
  const bool returns_data = operation.instruction->written != 0 || fragment;
  if (returns_data && counts_latency_) load_cycles_ += now - queue_.issued(slot);
  const base::Cycle due = now + (returns_data ? stages_.core.params.load_store.response_latency : 1);
  stages_.commit.complete(now, operation.warp, *operation.instruction, operation.pc, operation.lanes, due,
                          operation.instruction->opcode == isa::Opcode::kFenceI);
  stages_.core.core.wake_at(due);
  if (__builtin_expect(fragment, 0))
    fragment_loads_->on_phase(operation.warp, phases_[slot].move.fragment, due);
}

void LoadStoreUnit::on_load_data(unsigned slot, const protocol::WarpAccess& access, bool last) {
  const MemoryQueue::Operation& operation = queue_.operation(slot);
  if (__builtin_expect((operation.special & MemoryQueue::kFragment) != 0, 0)) {
    write_fragment(slot, access);
  } else if (operation.instruction->rd != isa::kNoRegister) {
    if ((operation.special & MemoryQueue::kBytewise) != 0) write_byte(slot, access, last);
    else write_registers(operation, access);
  }
  if (last) commit(slot);
  else if (stages_.core.params.load_store.lanes == Lanes::kIndependent) on_lanes(slot);
}

/// Lanes that come before others are written back by themselves.
void LoadStoreUnit::on_lanes(unsigned slot) {
  ++stages_.core.stats.partial_answers;
  const base::Cycle due = stages_.core.now() + stages_.core.params.load_store.response_latency;
  stages_.commit.hold_next_port(queue_.operation(slot).warp, due);
}

void LoadStoreUnit::on_memory_done(unsigned slot) {
  // Until now a fence was where the next instruction comes.
  if (queue_.operation(slot).instruction->unit == isa::Unit::kFence)
    buffers_.hold_until(stages_.core.now() + 1);
  commit(slot);
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
