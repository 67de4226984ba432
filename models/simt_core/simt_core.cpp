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
      alus_(static_cast<unsigned>(params.alu_blocks)),
      fpus_(static_cast<unsigned>(params.fpu_blocks)),
      first_fpu_(kFirstAlu + alus_),
      identity_(identity),
      map_(map),
      accumulator_rows_(params.commit_latency + 2),
      load_store_(params.load_store, static_cast<unsigned>(params.warps), *this, gmem, smem, mmio) {
  const auto warps = static_cast<unsigned>(params.warps);
  for (unsigned w = 0; w < warps; ++w) {
    warps_.emplace_back();
    warps_[w].alu = static_cast<std::uint8_t>(kFirstAlu + w % alus_);
    warps_[w].fpu = static_cast<std::uint8_t>(first_fpu_ + w % fpus_);
  }
  for (unsigned unit = 0; unit < first_fpu_ + fpus_; ++unit)
    units_.emplace_back(warps, static_cast<unsigned>(params.dispatch_depth));
  for (std::size_t kind = 0; kind < timing_.size(); ++kind)
    timing_[kind] = timing_of(static_cast<isa::Unit>(kind), params_);
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
  for (DispatchBuffers& unit : units_) unit.reset();
  units_due_ = memory_due_ = base::kNever;
  load_store_.reset();
  write_back_.reset();
  barrier_requests_.clear();
  front_end_.reset();
  scoreboard_.reset();
  for (protocol::InitiatorSocket* socket : {&icache, &gmem, &smem, &mmio}) socket->reset();
  tensor_full_ = 0;
  pending_units_ = 0;
  issued_ = 0;
  told_.assign(warps_.size(), {});
  tensor_rows_ = 0;
  accumulator_rows_.clear();
  third_port_taken_ = base::kNever;
  committed_threads_ = 0;
  float_watch_ = 0;
  stats_.issue.charge(static_cast<unsigned>(IssueReason::kNoWarp), now());
  issuing_ = false;
}

void SimtCore::launch(std::uint32_t entry) {
  state_.launch();
  front_end_.jump(0, entry);
  if (probe_ != nullptr) probe_->on_warp_start(now(), {}, identity_.core, 0, entry);
  wake_next();
}

bool SimtCore::idle() const {
  return state_.active() == 0 && load_store_.idle() && write_back_.empty() && barrier_requests_.empty() &&
         pending_units_ == 0 && front_end_.due() == base::kNever && tensor_rows_ == 0 &&
         accumulator_rows_.empty();
}

void SimtCore::tick() {
  const base::Cycle cycle = now();
  issued_ = 0;
  if (decoupled_tensor_ != nullptr) pass_accumulator_rows();
  write_back_.take_due(cycle, [this](const Completion& completion) { commit(completion); });
  if (!barrier_requests_.empty())
    barrier_requests_.take_due(cycle,
                               [this](unsigned id) { barrier->arrive(identity_.core_in_cluster, id); });
  if (memory_due_ <= cycle) {
    load_store_.tick(cycle);
    memory_due_ = load_store_.due();
    units_due_ = std::min(units_due_, unit_due(kLoadStore));  // its queue may have room again
  }
  if (units_due_ <= cycle) run_units();
  if (can_try()) issue();
  if (front_end_.due() <= cycle) decode();
  if (front_end_.can_fetch()) front_end_.fetch(cycle);

  const base::Cycle next = next_tick();
  wake_at(next);
  charge_cycle(next == cycle + 1);
  if (probe_ != nullptr) tell_warps();
}

void SimtCore::decode() {
  for (std::uint32_t refilled = front_end_.decode(now()); refilled != 0; refilled &= refilled - 1)
    scoreboard_.retry(static_cast<unsigned>(__builtin_ctz(refilled)), IssueReason::kFetch);
}

/// When something can happen again, as far as the core itself knows.
base::Cycle SimtCore::next_tick() const {
  const base::Cycle next = now() + 1;
  if (units_due_ <= next || (!state_.halted() && !third_port_taken() && can_try()) ||
      (!state_.halted() && front_end_.can_fetch()) ||
      (probe_ != nullptr && issued_ != 0))  // to tell what comes behind it
    return next;
  base::Cycle first = std::min({units_due_, memory_due_, write_back_.next(now())});
  if (!barrier_requests_.empty()) first = std::min(first, barrier_requests_.next(now()));
  first = std::min(first, front_end_.due());
  // The last row of an instruction may be all that a warp waits for; its request for a tick is over with this one.
  for (std::size_t i = 0; i < accumulator_rows_.size(); ++i)
    if (accumulator_rows_[i].last) first = std::min(first, accumulator_rows_[i].due);
  return std::max(first, next);
}

/// Charges this cycle, and the time until the next tick when the core goes to sleep.
void SimtCore::charge_cycle(bool busy_next) {
  if (issued_ != 0) {
    // Charged once for cycles in a row: a reset of the statistics leaves the account at this reason.
    if (!issuing_) stats_.issue.charge(static_cast<unsigned>(IssueReason::kIssued), now());
    issuing_ = true;
    if (profile_ != nullptr) profile_->charge(profile_->last_issued(), IssueReason::kIssued, now());
    if (probe_ != nullptr) {
      const auto last = 31u - static_cast<unsigned>(__builtin_clz(issued_));
      tell_slot(IssueReason::kIssued, {last, warps_[last].issue_pc}, now());
    }
    if (busy_next) return;
  }
  const base::Cycle from = issued_ != 0 ? now() + 1 : now();
  const bool held = issued_ == 0 && third_port_taken() && can_try() && !state_.halted();
  const IssueReason reason = held ? IssueReason::kRegisterPort : reason_to_wait();
  stats_.issue.charge(static_cast<unsigned>(reason), from);
  issuing_ = false;
  if (profile_ == nullptr && probe_ == nullptr) return;
  const Waiting who = who_waits(reason);
  if (profile_ != nullptr) profile_->charge(who.pc, reason, from);
  if (probe_ != nullptr) tell_slot(reason, who, from);
}

/// The warp and instruction that time spent for `reason` belongs to.
SimtCore::Waiting SimtCore::who_waits(IssueReason reason) const {
  const std::uint32_t running = state_.running();
  const auto first = [](std::uint32_t warps) { return static_cast<unsigned>(__builtin_ctz(warps)); };
  if (reason == IssueReason::kNoWarp) return {0, PcProfile::kNoPc};
  if (reason == IssueReason::kBarrier)
    return {first(state_.active()), warps_[first(state_.active())].issue_pc};
  if (reason == IssueReason::kFetch && (running & ~front_end_.resolving() & ~front_end_.buffered()) != 0) {
    const unsigned w = first(running & ~front_end_.resolving() & ~front_end_.buffered());
    return {w, front_end_.fetch_pc(w)};  // the one under way, or to be sent
  }
  const std::uint32_t buffered = running & front_end_.buffered();
  for (std::uint32_t rest = buffered; rest != 0; rest &= rest - 1) {
    if (scoreboard_.reason(first(rest)) == reason) return {first(rest), front_end_.front(first(rest)).pc};
  }
  if (buffered != 0) return {first(buffered), front_end_.front(first(buffered)).pc};
  return {first(running), warps_[first(running)].issue_pc};  // resolves
}

IssueReason SimtCore::reason_to_wait() const {
  if (state_.active() == 0) return IssueReason::kNoWarp;
  const std::uint32_t running = state_.running();
  if (running == 0) return IssueReason::kBarrier;
  const std::uint32_t buffered = running & front_end_.buffered();
  if (buffered != 0) {
    IssueReason nearest = IssueReason::kCount;
    for (std::uint32_t rest = buffered; rest != 0; rest &= rest - 1)
      nearest = std::min(nearest, scoreboard_.reason(static_cast<unsigned>(__builtin_ctz(rest))));
    if (load_store_.fence_at_head() && nearest > IssueReason::kUnitBusy) return IssueReason::kFence;
    return nearest;
  }
  if ((running & ~front_end_.resolving()) != 0) return IssueReason::kFetch;
  return IssueReason::kControl;
}

void SimtCore::on_response(unsigned, protocol::Payload& payload) {
  front_end_.take(payload, now());
  wake_at(front_end_.due());
}
/// Comes from fetch(): tick() plans the next cycle behind it.
void SimtCore::on_early_response(unsigned, protocol::Payload& payload, const sc_core::sc_time& delay) {
  if (delay.value() != early_delay_) {  // it is nearly always the same: spares a division
    early_delay_ = delay.value();
    early_cycles_ = early_delay_ / clock().period().value();
  }
  front_end_.take(payload, now() + early_cycles_);
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
  warps_[source.warp].issue_pc = source.pc;
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
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const Warp& warp = warps_[w];
    if ((state_.active() >> w & 1) == 0) continue;
    fmt::print(out, "  warp {}: pc {:#010x} mask {:#04x} stack {} buffered {} in flight {}: {}\n", w,
               warp.issue_pc, state_[w].simt.mask(), state_[w].simt.depth(), front_end_.buffered(w),
               scoreboard_.in_flight(w), describe_warp(w));
  }
  load_store_.dump_state(out);
}

}  // namespace spica::simt_core
