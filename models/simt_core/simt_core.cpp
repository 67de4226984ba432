// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/simt_core.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstring>
#include <ostream>

namespace spica::simt_core {

SimtCore::SimtCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
                   const protocol::AddressMap& map, const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      identity_(identity),
      map_(map),
      accumulator_rows_(params.commit_latency + 2),
      load_store_(params.load_store, static_cast<unsigned>(params.warps), *this, gmem, smem, mmio) {
  icache.attach(*this);
  launch_port.bind(*this);
  release_port.bind(*this);
  tensor_result.bind(*this);
  connect_pipeline_counters();
  tensor_registers.bind(*this);
  reset();
}

void SimtCore::end_of_elaboration() {
  if (tensor.size() != 0) tensor_ = tensor.operator->();
  if (decoupled_tensor.size() != 0) decoupled_tensor_ = decoupled_tensor.operator->();
  executor_.connect(*fault.operator->(), accelerator.size() != 0 ? accelerator.operator->() : nullptr,
                    marker.size() != 0 ? marker.operator->() : nullptr);
}

void SimtCore::reset() {
  state_.reset();
  executor_.reset();
  for (Warp& warp : warps_) warp.reset();
  load_cycles_ = 0;
  units_.reset();
  memory_due_ = base::kNever;
  load_store_.reset();
  write_back_.reset();
  barrier_requests_.clear();
  front_end_.reset();
  scoreboard_.reset();
  for (protocol::InitiatorSocket* socket : {&icache, &gmem, &smem, &mmio}) socket->reset();
  tensor_full_ = 0;
  tensor_rows_ = 0;
  accumulator_rows_.clear();
  third_port_taken_ = base::kNever;
  committed_threads_ = 0;
  float_watch_ = 0;
  account_.reset(now());
}

void SimtCore::launch(std::uint32_t entry) {
  state_.launch();
  front_end_.jump(0, entry);
  if (probe_ != nullptr) probe_->on_warp_start(now(), {}, identity_.core, 0, entry);
  wake_next();
}

bool SimtCore::idle() const {
  return state_.active() == 0 && load_store_.idle() && write_back_.empty() && barrier_requests_.empty() &&
         units_.empty() && front_end_.due() == base::kNever && tensor_rows_ == 0 && accumulator_rows_.empty();
}

void SimtCore::tick() {
  const base::Cycle cycle = now();
  account_.begin_cycle();
  if (decoupled_tensor_ != nullptr) pass_accumulator_rows();
  write_back_.take_due(cycle, [this](const Completion& completion) { commit(completion); });
  if (!barrier_requests_.empty())
    barrier_requests_.take_due(cycle,
                               [this](unsigned id) { barrier->arrive(identity_.core_in_cluster, id); });
  if (memory_due_ <= cycle) {
    load_store_.tick(cycle);
    memory_due_ = load_store_.due();
    units_.open_load_store(load_store_.queue_has_room());
  }
  if (units_.due() <= cycle) units_.run(cycle, [this](const Units::Taken& taken) { run(taken); });
  if (can_try()) issue();
  if (front_end_.due() <= cycle) decode();
  if (front_end_.can_fetch()) front_end_.fetch(cycle);

  const base::Cycle next = next_tick();
  wake_at(next);
  account_.charge(cycle, third_port_taken(), next == cycle + 1);
  if (probe_ != nullptr) account_.tell_warps(cycle, third_port_taken());
}

void SimtCore::decode() {
  for (std::uint32_t refilled = front_end_.decode(now()); refilled != 0; refilled &= refilled - 1)
    scoreboard_.retry(static_cast<unsigned>(__builtin_ctz(refilled)), IssueReason::kFetch);
}

/// When something can happen again, as far as the core itself knows.
base::Cycle SimtCore::next_tick() const {
  const base::Cycle next = now() + 1;
  if (units_.due() <= next || (!state_.halted() && !third_port_taken() && can_try()) ||
      (!state_.halted() && front_end_.can_fetch()) ||
      (probe_ != nullptr && account_.issued() != 0))  // to report what follows it
    return next;
  base::Cycle first = std::min({units_.due(), memory_due_, write_back_.next(now())});
  if (!barrier_requests_.empty()) first = std::min(first, barrier_requests_.next(now()));
  first = std::min(first, front_end_.due());
  // The last row of an instruction may be all that a warp waits for; its request for a tick is over with this one.
  for (std::size_t i = 0; i < accumulator_rows_.size(); ++i)
    if (accumulator_rows_[i].last) first = std::min(first, accumulator_rows_[i].due);
  return std::max(first, next);
}

void SimtCore::on_response(unsigned, protocol::Payload& payload) {
  front_end_.take(payload, now());
  wake_at(front_end_.due());
}
void SimtCore::on_ready(unsigned) { wake_now(); }

void SimtCore::on_load_data(unsigned slot, const protocol::WarpAccess& access) {
  const LoadStoreUnit::Operation& operation = load_store_.operation(slot);
  const isa::Instruction& instruction = *operation.instruction;
  if (instruction.rd == isa::kNoRegister) return;
  if ((operation.special & LoadStoreUnit::kBytewise) != 0) return take_byte(slot, access);
  std::uint32_t* row = state_[operation.warp].registers.row(instruction.rd);
  // With merged duplicates lane 0's value goes to every lane of the instruction.
  if (access.mask == 1 && operation.mask != 1 && operation.parts == 1 &&
      params_.load_store.merge_duplicates) {
    const std::uint32_t value = isa::extend_load(instruction, access.data[0]);
    for (std::uint32_t rest = operation.mask; rest != 0; rest &= rest - 1) row[__builtin_ctz(rest)] = value;
    return;
  }
  if (instruction.access_bytes == 4 && access.mask == ~std::uint32_t{0} >> (32 - params_.lanes)) {
    if (params_.lanes == 8) std::memcpy(row, access.data.data(), 32);  // a fixed size spares the call
    else std::memcpy(row, access.data.data(), params_.lanes * sizeof *row);
    return;
  }
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = isa::extend_load(instruction, access.data[lane]);
  }
}

void SimtCore::on_memory_done(unsigned slot) {
  if (decoupled_tensor_ != nullptr) pass_accumulator_rows();
  const LoadStoreUnit::Operation& operation = load_store_.operation(slot);
  const Dispatched entry{operation.instruction, operation.pc, operation.mask, slot, 0};
  const bool returns_data = operation.instruction->writes() != 0;
  if (returns_data && counts_latency()) load_cycles_ += now() - load_store_.issued(slot);
  const base::Cycle due = now() + (returns_data ? params_.load_store.response_latency : 1);
  complete(operation.warp, entry, due, operation.instruction->opcode == isa::Opcode::kFenceI);
  wake_at(due);
}

void SimtCore::on_access_error(const protocol::Payload& payload) {
  const protocol::Origin& source = protocol::info_of(payload).origin;
  executor_.refuse_late(refused_access(payload, map_), at(source.warp, source.pc));
  account_.refuse(source.warp, source.pc);
  wake_now();
}

std::string SimtCore::describe_warp(unsigned index) const {
  const std::uint32_t bit = 1u << index;
  if (std::string text = state_.describe(index); !text.empty()) return text;
  if (gate_ != nullptr && (front_end_.buffered() & bit) != 0 && scoreboard_.in_flight(index) == 0)
    return "ready";
  if ((front_end_.buffered() & bit) != 0 && scoreboard_.reason(index) > IssueReason::kIssued)
    return fmt::format("waits for {}",
                       issue_reason_names()[static_cast<unsigned>(scoreboard_.reason(index))]);
  if ((front_end_.resolving() & bit) != 0) return "resolves a branch or control instruction";
  return "fetches";
}

void SimtCore::dump_state(std::ostream& out) const {
  fmt::print(out, "{}: running {:#x}, at barrier {:#x}, fetch locked {:#x}, blocked {:#x}{}\n", name(),
             state_.active(), state_.at_barrier(), front_end_.locked(), scoreboard_.blocked(),
             state_.halted() ? ", halted by a fault" : "");
  for (unsigned w = 0; w < state_.warps(); ++w) {
    if ((state_.active() >> w & 1) == 0) continue;
    fmt::print(out, "  warp {}: pc {:#010x} mask {:#04x} stack {} buffered {} in flight {}: {}\n", w,
               account_.pc(w), state_[w].simt.mask(), state_[w].simt.depth(), front_end_.buffered(w),
               scoreboard_.in_flight(w), describe_warp(w));
  }
  load_store_.dump_state(out);
}

}  // namespace spica::simt_core
