// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/matrix_unit.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "models/matrix_unit/unit_faults.h"
#include "models/matrix_unit/unit_work.h"

namespace spica::matrix_unit {

using protocol::Payload;

MatrixUnit::MatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      front_end_(params),
      decoder_(params, transfers_),
      slots_(params),
      unroller_(params, slots_, transfers_),
      station_(static_cast<unsigned>(params.load_entries), static_cast<unsigned>(params.store_entries),
               static_cast<unsigned>(params.execute_entries)),
      array_(params),
      sums_(params),
      row_accesses_(params.accumulator_latency + 1) {
  mmio.attach(*this, kMmio);
  accumulator.attach(*this, kAccumulator);
  smem_a.attach(*this, kSharedA);
  smem_b.attach(*this, kSharedB);
  dma.attach(*this, kDma);
  done_.reserve(params.execute_entries);
}

void MatrixUnit::command(unsigned, std::uint32_t word, const protocol::Origin& by) {
  const protocol::Origin origin = numbered(by);
  switch (front_end_.command(word, origin)) {
    case CommandFrontEnd::Taken::kYes:
      ++stats_.cisc_commands;
      ++commands_;
      if (probe_ != nullptr) probe_->on_command(now(), source_, origin, word);
      return start_work();
    case CommandFrontEnd::Taken::kLost: ++stats_.commands_lost; return lost_command(origin, word);
    case CommandFrontEnd::Taken::kUnknown: return bad_command(origin, unknown_word(word, params_));
  }
}

void MatrixUnit::start_work() {
  if (!active_) {
    active_ = true;
    busy_from_ = now() + params_.busy_latency;
  }
  wake_next();
}

bool MatrixUnit::busy(base::Cycle at) const {
  if (active_ && at >= busy_from_) return true;
  return at < idle_from_ && idle_from_ <= now() && (!active_ || at < busy_from_);
}

/// What the array holds has its entry in the reservation station.
bool MatrixUnit::has_work() const {
  return !station_.empty() || slots_.any_configured() || !front_end_.idle();
}

bool MatrixUnit::idle() const { return !has_work() && register_access_ == nullptr && row_accesses_.empty(); }

void MatrixUnit::tick() {
  const bool was_feeding = array_.feeding();
  finished_ = {};
  if (std::min(array_.next_drain(), array_.pass_end()) <= now()) tick_array();
  array_.start_pass(now());
  if (array_.may_read(now())) read_operands();
  bool moved = issue();
  if (unroll_due_ || loop_start_ <= now()) moved |= unroll();
  bool more = unroll_due_ || (moved && may_issue());
  more |= !front_end_.empty() && decode();
  more |= !front_end_.idle() && front_end_.tick();
  more |= register_access_ != nullptr && serve_mmio();
  if (!row_accesses_.empty()) serve_accumulator();

  charge(was_feeding);
  if (more || (was_feeding && !array_.feeding())) {
    wake_next();
  } else {
    // Nothing moves until something is due in the array, a row access or the start of a loop, or a
    // neighbour calls.
    base::Cycle next = std::min(array_.next_event(now()), loop_start_);
    if (!row_accesses_.empty()) next = std::min(next, row_accesses_.front().due);
    if (next != base::kNever) wake_at(std::max(next, now() + 1));
  }
  if (active_ && !has_work()) {
    active_ = false;
    idle_from_ = now();
  }
}

void MatrixUnit::tick_array() {
  done_.clear();
  if (array_.next_drain() <= now()) {
    stats_.accumulator_rows_added += array_.drain(now(), sums_, done_);
    stats_.accumulator_rows_accumulated += sums_.take_rows_accumulated();
  }
  finished_ = array_.finish_pass(now(), done_);
  for (const unsigned entry : done_) complete(CommandClass::kExecute, entry);
}

namespace {
std::uint32_t work_id(CommandClass c, unsigned entry) { return static_cast<unsigned>(c) << 8 | entry; }
}  // namespace

void MatrixUnit::tell_begin(CommandClass c, unsigned entry) {
  if (probe_ != nullptr)
    probe_->on_work_begin(now(), source_, work_of(station_.command(c, entry), work_id(c, entry), params_));
}

void MatrixUnit::complete(CommandClass c, unsigned entry) {
  station_.complete(c, entry);
  unroll_due_ = true;
  if (probe_ != nullptr) probe_->on_work_end(now(), source_, work_id(c, entry));
}

/// Charges this cycle and those before it. While the array is fed, what it did is known when a pass
/// is over: its steps came last, the cycles between it and the pass before it were spent waiting for
/// operands.
void MatrixUnit::charge(bool was_feeding) {
  base::CycleAccount& account = stats_.cycles;
  if (finished_.steps != 0) {
    const base::Cycle first = now() + 1 - finished_.steps;
    if (first > last_step_ + 1)
      account.charge(static_cast<unsigned>(Activity::kOperandWait),
                     std::max(last_step_ + 1, account.since()));
    account.charge(
        static_cast<unsigned>(finished_.step == SystolicArray::Step::kCompute ? Activity::kComputing
                                                                              : Activity::kPreloading),
        std::max(first, account.since()));
    last_step_ = now();
  } else if (!was_feeding) {
    account.charge(static_cast<unsigned>(activity()), now());
  }
}

void MatrixUnit::read_operands() {
  SystolicArray::Read read;
  const protocol::Origin origin{protocol::Origin::Unit::kMatrixUnit, 0,
                                static_cast<std::uint16_t>(params_.unit), 0, 0};
  const auto send = [&](protocol::InitiatorSocket& socket) {
    OperandPayload& payload = operands_.take();
    payload.setup(std::uint64_t{read.row} * params_.row_bytes(), read.bytes, read.rows);
    payload.info.origin = origin;
    payload.info.tag = epoch_ << 32 | std::uint64_t{read.rows} << 16 | read.tag;
    stats_.operand_bytes += read.bytes;
    socket.send(payload);
  };
  if (smem_a.ready() && array_.next_a(now(), read)) {
    array_.sent_a(now(), read);
    stats_.rows_read_a += read.rows;
    send(smem_a);
  }
  if (smem_b.ready() && array_.next_b(now(), read)) {
    array_.sent_b(now(), read);
    stats_.rows_read_b += read.rows;
    send(smem_b);
  }
}

/// True when issue() may find something in the next cycle without help from outside.
bool MatrixUnit::may_issue() const {
  return (array_.can_push() && station_.head(CommandClass::kExecute) != nullptr) ||
         (dma.ready() &&
          (station_.head(CommandClass::kLoad) != nullptr || station_.head(CommandClass::kStore) != nullptr));
}

bool MatrixUnit::issue() {
  bool progress = false;
  if (array_.can_push() && station_.can_issue(CommandClass::kExecute)) {
    const UnitCommand* head = station_.head(CommandClass::kExecute);
    if (head->kind == UnitCommand::Kind::kCompute) {
      ++stats_.block_operations;
      stats_.macs += std::uint64_t{head->rows} * head->columns * params_.dim;
    } else if (head->has_operand) {
      ++stats_.preloads;
    }
    const unsigned entry = station_.issue(CommandClass::kExecute);
    tell_begin(CommandClass::kExecute, entry);
    array_.push(*head, entry);
    progress = true;
  }
  if (dma.ready() && stores_at_dma_ < params_.store_commands && station_.can_issue(CommandClass::kStore)) {
    ++stores_at_dma_;
    ++stats_.stores;
    progress |= send_to_dma(CommandClass::kStore);
  } else if (dma.ready() && station_.can_issue(CommandClass::kLoad)) {
    ++stats_.loads;
    progress |= send_to_dma(CommandClass::kLoad);
  }
  return progress;
}

bool MatrixUnit::send_to_dma(CommandClass c) {
  const unsigned entry = station_.issue(c);
  const UnitCommand& command = station_.command(c, entry);
  tell_begin(c, entry);
  DmaPayload& payload = dma_payloads_.take();
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.set_address(command.move.global_address);
  payload.info.origin = command.origin;
  payload.info.tag = epoch_ << 32 | static_cast<unsigned>(c) << 8 | entry;
  payload.set_move(command.move);
  dma.send(payload);
  return true;
}

/// True when a command went to the reservation station. Has to be called only when it may find one:
/// when the last call says so, when there is new room or a new loop, and when a loop starts.
bool MatrixUnit::unroll() {
  unroll_due_ = false;
  if (!slots_.any_configured()) return false;
  const auto room = [this] {
    return LoopUnroller::Room{station_.has_room(CommandClass::kLoad), station_.has_room(CommandClass::kStore),
                              station_.has_room(CommandClass::kExecute)};
  };
  unroller_.start_phases(now());
  const bool issued = unroller_.next(room(), unrolled_);
  if (issued) station_.allocate(unrolled_);
  if (slots_.retire()) {
    ++stats_.loops;
    front_end_.loop_completed();
    unroll_due_ = true;
  } else {
    unroll_due_ = issued && unroller_.may_go_on(room());
  }
  loop_start_ = slots_.next_start(now());
  return issued;
}

bool MatrixUnit::decode() {
  const RoccCommand& command = front_end_.front();
  if (LoopSlots::is_loop_command(command.function)) {
    if (!slots_.can_accept()) return false;
    if (std::string wrong = slots_.accept(command, now()); !wrong.empty()) {
      front_end_.loop_completed();
      bad_command(command.origin, wrong);
    }
    front_end_.pop();
    unroll_due_ = true;
    return true;
  }
  // Other commands bypass the loops and wait until those have issued everything.
  if (slots_.any_configured()) return false;
  for (const CommandClass c : {CommandClass::kLoad, CommandClass::kStore, CommandClass::kExecute})
    if (!station_.has_room(c, 2)) return false;
  RoccDecoder::Result result = decoder_.decode(command);
  for (unsigned i = 0; i < result.count; ++i) station_.allocate(result.commands[i]);
  if (!result.wrong.empty()) bad_command(command.origin, std::move(result.wrong));
  front_end_.pop();
  return true;
}

Activity MatrixUnit::activity() const {
  if (array_.feeding()) return Activity::kOperandWait;
  if (station_.blocked_by(CommandClass::kExecute, CommandClass::kLoad) || unroller_.execute_waits_for_loads())
    return Activity::kLoadWait;
  if (station_.blocked_by(CommandClass::kExecute, CommandClass::kStore)) return Activity::kStoreWait;
  if (array_.draining()) return Activity::kDraining;
  if (station_.used(CommandClass::kLoad) != 0) return Activity::kLoading;
  if (station_.used(CommandClass::kStore) != 0) return Activity::kStoring;
  if (!front_end_.idle() || slots_.any_configured() || !station_.empty()) return Activity::kCommands;
  return Activity::kIdle;
}

void MatrixUnit::on_response(unsigned port, Payload& payload) {
  const std::uint64_t tag = static_cast<protocol::PooledPayload&>(payload).info.tag;
  const bool current = tag >> 32 == epoch_;
  if (port == kDma) {
    const auto c = static_cast<CommandClass>(tag >> 8 & 0xFF);
    const auto entry = static_cast<unsigned>(tag & 0xFF);
    if (current) {
      if (payload.is_response_error()) {
        const UnitCommand& command = station_.command(c, entry);
        ++stats_.bad_commands;
        fault->report(left_memory(params_, now(), command));
      }
      if (c == CommandClass::kStore) --stores_at_dma_;
      complete(c, entry);
    }
    dma_payloads_.drop(static_cast<DmaPayload&>(payload));
  } else {
    if (current) {
      const auto row = static_cast<std::uint32_t>(tag & 0xFFFF);
      const auto rows = static_cast<std::uint32_t>(tag >> 16 & 0xFFFF);
      port == kSharedA ? array_.arrived_a(now(), row, rows, payload.get_data_ptr())
                       : array_.arrived_b(now(), row, rows, payload.get_data_ptr());
    }
    operands_.drop(static_cast<OperandPayload&>(payload));
  }
  if (current) wake_now();
}

void MatrixUnit::reset() {
  ++epoch_;
  front_end_.reset();
  transfers_ = {};
  decoder_.reset();
  slots_.reset();
  unroller_.reset();
  unroll_due_ = false;
  loop_start_ = base::kNever;
  station_.reset();
  array_.reset();
  sums_.reset();
  operand_registers_.reset();
  commands_ = 0;
  register_access_ = nullptr;
  row_accesses_.clear();
  stores_at_dma_ = 0;
  active_ = false;
  busy_from_ = idle_from_ = 0;
  finished_ = {};
  last_step_ = now();
  mmio.reset();
  accumulator.reset();
  smem_a.reset();
  smem_b.reset();
  dma.reset();
  stats_.cycles.charge(static_cast<unsigned>(Activity::kIdle), now());
}

void MatrixUnit::dump_state(std::ostream& out) const {
  out << name() << ": " << (active_ ? "busy" : "idle") << '\n';
  for (unsigned i = 0; i < 2; ++i) {
    const LoopSlot& slot = slots_.slot(i);
    const LoopRegisters& r = slot.registers;
    out << "  loop slot " << i << (i == slots_.head() ? " (older): " : ": ")
        << (slot.configured ? "running" : "free") << ", bounds I " << r.bound_i << " J " << r.bound_j << " K "
        << r.bound_k;
    if (slot.configured) {
      static constexpr const char* kNames[] = {"load A", "load B", "load D", "execute", "store"};
      for (unsigned p = 0; p < kPhases; ++p)
        if (const auto phase = static_cast<Phase>(p); !slot.has_completed(phase))
          out << ", " << kNames[p] << (slot.has_started(phase) ? " under way" : " not started");
      out << ", issued by core " << r.origin.core << " warp " << unsigned{r.origin.warp} << " pc 0x"
          << std::hex << r.origin.pc << std::dec;
    }
    out << '\n';
  }
  station_.dump(out);
  array_.dump(out);
  out << "  stores at the DMA: " << stores_at_dma_ << ", row accesses: " << row_accesses_.size() << '\n';
}

}  // namespace spica::matrix_unit
