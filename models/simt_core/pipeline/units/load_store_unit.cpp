// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/load_store_unit.h"

#include <cstring>

#include "models/isa/execute.h"

namespace spica::simt_core {

namespace {

IssueReason producer_of(protocol::Route route) {
  switch (route) {
    case protocol::Route::kShared: return IssueReason::kSharedLoad;
    case protocol::Route::kPeripheral: return IssueReason::kPeripheral;
    default: return IssueReason::kGlobalLoad;
  }
}

std::uint8_t special_of(const Candidate& c, const Place& place) {
  if (c.instruction.unit == isa::Unit::kAtomic)
    return static_cast<std::uint8_t>((c.instruction.word >> 25 & 3) * MemoryQueue::kRelease);
  return static_cast<std::uint8_t>(place.bytewise ? MemoryQueue::kBytewise : 0);
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const Stages& stages, Agenda& agenda, MemoryPorts& ports, unsigned number,
                             unsigned queue)
    : BufferedUnit(stages, agenda, number),
      queue_(stages.core.params.load_store, static_cast<unsigned>(stages.core.params.warps), queue, *this,
             stages.accesses, ports),
      counts_latency_(stages.core.counts_latency()) {}

void LoadStoreUnit::reset() {
  BufferedUnit::reset();
  queue_.reset();
  load_cycles_ = 0;
}

bool LoadStoreUnit::offer(const Candidate& c) {
  if (!has_room(c.warp)) return false;
  if (!queue_.has_slot()) {
    stages_.scoreboard.retry(c.warp, IssueReason::kMemoryQueue);
    return false;
  }
  const bool fence = c.instruction.unit == isa::Unit::kFence;
  Place place;
  Mistake mistake;
  if (!fence && !requests_.find(c, place, mistake)) return refuse(c, mistake);
  MemoryQueue::Operation operation;
  operation.instruction = &c.instruction;
  operation.pc = c.pc;
  operation.mask = c.mask;
  operation.lanes = static_cast<std::uint8_t>(c.lanes);
  operation.warp = static_cast<std::uint8_t>(c.warp);
  operation.special = special_of(c, place);
  const unsigned slot = queue_.allocate(operation);
  IssueReason producer = IssueReason::kGlobalLoad;
  if (!fence) {
    if (counts_latency_) queue_.issued(slot) = c.now;
    producer = producer_of(requests_.add(c, place, slot));
  }
  push(c, slot);
  issue(c, producer);
  return true;
}

void LoadStoreUnit::tick(base::Cycle now) {
  if (queue_.due() <= now) queue_.tick(now);
  if (queue_.queue_has_room() && buffers_.due() <= now) take_next(now);
  replan(next_due());
}

base::Cycle LoadStoreUnit::take(unsigned, const Dispatched& entry, base::Cycle now) {
  queue_.enqueue(entry.slot, now);
  return 1;
}

void LoadStoreUnit::on_load_data(unsigned slot, const protocol::WarpAccess& access) {
  const MemoryQueue::Operation& operation = queue_.operation(slot);
  if (operation.instruction->rd == isa::kNoRegister) return;
  if ((operation.special & MemoryQueue::kBytewise) != 0) write_byte(slot, operation, access);
  else write_registers(operation, access);
}

void LoadStoreUnit::write_registers(const MemoryQueue::Operation& operation,
                                    const protocol::WarpAccess& access) {
  const isa::Instruction& instruction = *operation.instruction;
  const Params& params = stages_.core.params;
  std::uint32_t* row = stages_.core.state[operation.warp].registers.row(instruction.rd);
  // With merged duplicates lane 0's value goes to every lane of the instruction.
  if (access.mask == 1 && operation.mask != 1 && operation.parts == 1 && params.load_store.merge_duplicates) {
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
void LoadStoreUnit::write_byte(unsigned slot, const MemoryQueue::Operation& operation,
                               const protocol::WarpAccess& access) {
  const unsigned shift = 8 * queue_.part_of(slot, access);
  std::uint32_t* row = stages_.core.state[operation.warp].registers.row(operation.instruction->rd);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = (row[lane] & ~(0xFFu << shift)) | (access.data[lane] & 0xFF) << shift;
    if (operation.parts == 1) row[lane] = isa::extend_load(*operation.instruction, row[lane]);
  }
}

void LoadStoreUnit::on_memory_done(unsigned slot) {
  const MemoryQueue::Operation& operation = queue_.operation(slot);
  const base::Cycle now = stages_.core.now();
  const bool returns_data = operation.instruction->written != 0;
  if (returns_data && counts_latency_) load_cycles_ += now - queue_.issued(slot);
  const base::Cycle due = now + (returns_data ? stages_.core.params.load_store.response_latency : 1);
  stages_.commit.complete(now, operation.warp, *operation.instruction, operation.pc, operation.lanes, due,
                          operation.instruction->opcode == isa::Opcode::kFenceI);
  stages_.core.core.wake_at(due);
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
