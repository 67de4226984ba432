// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/matrix_unit.h"

#include <algorithm>
#include <cstring>
#include <ostream>

namespace spica::matrix_unit {

using protocol::Payload;

MatrixUnit::MatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      controller_(params_, stats_, *this),
      station_(static_cast<unsigned>(params.load_entries), static_cast<unsigned>(params.store_entries),
               static_cast<unsigned>(params.execute_entries)),
      array_(params),
      sums_(params),
      busy_(params.busy_latency),
      activities_(stats_.cycles),
      row_accesses_(params.accumulator_latency + 1) {
  mmio.attach(*this, kMmio);
  accumulator.attach(*this, kAccumulator);
  smem_a.attach(*this, kSharedA);
  smem_b.attach(*this, kSharedB);
  dma.attach(*this, kDma);
  done_.reserve(params.execute_entries);
}

void MatrixUnit::command(unsigned, std::uint32_t word, const protocol::Origin& by) {
  if (controller_.write_word(word, by, now())) start_work();
}

void MatrixUnit::start_work() {
  busy_.begin(now());
  wake_next();
}

bool MatrixUnit::idle() const { return !has_work() && register_access_ == nullptr && row_accesses_.empty(); }

void MatrixUnit::tick() {
  const bool was_feeding = array_.feeding();
  SystolicArray::Finished finished;
  if (std::min(array_.next_drain(), array_.pass_end()) <= now()) finished = tick_array();
  array_.start_pass(now());
  if (array_.may_read(now())) read_operands();
  bool moved = issue();
  if (unroll_due_ || loop_start_ <= now()) moved |= unroll();
  bool more = unroll_due_ || (moved && may_issue());
  more |= controller_.has_front() && decode();
  more |= controller_.waiting() && controller_.expand();
  more |= register_access_ != nullptr && serve_mmio();
  if (!row_accesses_.empty()) serve_accumulator();

  if (finished.steps != 0)
    activities_.pass_over(
        finished.step == SystolicArray::Step::kCompute ? Activity::kComputing : Activity::kPreloading,
        finished.steps, now());
  else if (!was_feeding) activities_.charge(activity(), now());
  plan(more || (was_feeding && !array_.feeding()));
}

/// When the next tick is; `more`: there is something to do at once.
void MatrixUnit::plan(bool more) {
  if (more) {
    wake_next();
  } else {
    // Nothing moves until something is due in the array, a row access or the start of a loop, or a
    // neighbour calls.
    base::Cycle next = std::min(array_.next_event(now()), loop_start_);
    if (!row_accesses_.empty()) next = std::min(next, row_accesses_.front().due);
    if (next != base::kNever) wake_at(std::max(next, now() + 1));
  }
  if (busy_.working() && !has_work()) busy_.end(now());
}

SystolicArray::Finished MatrixUnit::tick_array() {
  done_.clear();
  if (array_.next_drain() <= now()) {
    stats_.accumulator_rows_added += array_.drain(now(), sums_, done_);
    stats_.accumulator_rows_accumulated += sums_.take_rows_accumulated();
  }
  const SystolicArray::Finished finished = array_.finish_pass(now(), done_);
  for (const unsigned entry : done_) complete(CommandClass::kExecute, entry);
  return finished;
}

void MatrixUnit::complete(CommandClass c, unsigned entry) {
  station_.complete(c, entry);
  unroll_due_ = true;
  controller_.end(work_id(c, entry), now());
}

void MatrixUnit::read_operands() {
  SystolicArray::Read read;
  if (smem_a.ready() && array_.next_a(now(), read)) {
    array_.sent_a(now(), read);
    stats_.rows_read_a += read.rows;
    read_operand(smem_a, read);
  }
  if (smem_b.ready() && array_.next_b(now(), read)) {
    array_.sent_b(now(), read);
    stats_.rows_read_b += read.rows;
    read_operand(smem_b, read);
  }
}

void MatrixUnit::read_operand(protocol::InitiatorSocket& socket, const SystolicArray::Read& read) {
  OperandPayload& payload = operands_.take();
  payload.setup(std::uint64_t{read.row} * params_.row_bytes(), read.bytes, read.rows);
  payload.info.origin = {protocol::Origin::Unit::kMatrixUnit, 0, static_cast<std::uint16_t>(params_.unit)};
  payload.info.tag = epoch_ << 32 | std::uint64_t{read.rows} << 16 | read.tag;
  stats_.operand_bytes += read.bytes;
  socket.send(payload);
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
    const unsigned entry = station_.issue(CommandClass::kExecute);
    const UnitCommand& command = station_.command(CommandClass::kExecute, entry);
    controller_.begin(command, work_id(CommandClass::kExecute, entry), now());
    array_.push(command, entry);
    progress = true;
  }
  if (!dma.ready()) return progress;
  if (stores_at_dma_ < params_.store_commands && station_.can_issue(CommandClass::kStore)) {
    ++stores_at_dma_;
    send_to_dma(CommandClass::kStore);
    return true;
  }
  if (!station_.can_issue(CommandClass::kLoad)) return progress;
  send_to_dma(CommandClass::kLoad);
  return true;
}

void MatrixUnit::send_to_dma(CommandClass c) {
  const unsigned entry = station_.issue(c);
  const UnitCommand& command = station_.command(c, entry);
  controller_.begin(command, work_id(c, entry), now());
  DmaPayload& payload = dma_payloads_.take();
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.set_address(command.move.global_address);
  payload.info.origin = command.origin;
  payload.info.tag = epoch_ << 32 | work_id(c, entry);
  payload.set_move(command.move);
  dma.send(payload);
}

LoopUnroller::Room MatrixUnit::room() const {
  return {station_.has_room(CommandClass::kLoad), station_.has_room(CommandClass::kStore),
          station_.has_room(CommandClass::kExecute)};
}

/// True when a command went to the reservation station. Has to be called only when it may find one:
/// when the last call says so, when there is new room or a new loop, and when a loop starts.
bool MatrixUnit::unroll() {
  unroll_due_ = false;
  if (!controller_.loops_configured()) return false;
  const Controller::Unrolled found = controller_.unroll(now(), room(), unrolled_);
  if (found.command) station_.allocate(unrolled_);
  unroll_due_ = found.loop_done || (found.command && controller_.may_unroll(room()));
  loop_start_ = controller_.next_loop_start(now());
  return found.command;
}

bool MatrixUnit::decode() {
  if (!controller_.can_take_front()) return false;
  const bool of_a_loop = controller_.front_is_of_a_loop();
  for (const CommandClass c : {CommandClass::kLoad, CommandClass::kStore, CommandClass::kExecute})
    if (!of_a_loop && !station_.has_room(c, 2)) return false;
  const RoccDecoder::Result& decoded = controller_.take_front(now());
  for (unsigned i = 0; i < decoded.count; ++i) station_.allocate(decoded.commands[i]);
  unroll_due_ |= of_a_loop;
  return true;
}

Activity MatrixUnit::activity() const {
  if (array_.feeding()) return Activity::kOperandWait;
  if (station_.blocked_by(CommandClass::kExecute, CommandClass::kLoad) ||
      controller_.execute_waits_for_loads())
    return Activity::kLoadWait;
  if (station_.blocked_by(CommandClass::kExecute, CommandClass::kStore)) return Activity::kStoreWait;
  if (array_.draining()) return Activity::kDraining;
  if (station_.used(CommandClass::kLoad) != 0) return Activity::kLoading;
  if (station_.used(CommandClass::kStore) != 0) return Activity::kStoring;
  return has_work() ? Activity::kCommands : Activity::kIdle;
}

bool MatrixUnit::on_request(unsigned port, Payload& payload) {
  if (port == kMmio) {
    if (register_access_ != nullptr) return false;
    register_access_ = &payload;
    wake_next();
    return true;
  }
  if (row_accesses_.full()) return false;
  row_accesses_.push({&payload, now() + params_.accumulator_latency});
  wake_at(now() + params_.accumulator_latency);
  return true;
}

bool MatrixUnit::serve_mmio() {
  Payload& payload = *register_access_;
  switch (controller_.serve(payload, now(), [this](std::uint32_t offset) { return shown(offset); })) {
    case Controller::Served::kHeld: return false;
    case Controller::Served::kLaunched: start_work(); break;
    case Controller::Served::kYes: break;
  }
  register_access_ = nullptr;
  mmio.respond(payload);
  if (Payload* held = mmio.held(); held != nullptr && register_access_ == nullptr) {
    register_access_ = held;
    mmio.take_held();
  }
  return true;
}

/// What the register at `offset` shows.
std::uint32_t MatrixUnit::shown(std::uint32_t offset) const {
  if (offset == MATRIX_UNIT_LOOPS) return controller_.running_loops();
  return busy(now()) ? 1 : 0;
}

void MatrixUnit::serve_accumulator() {
  while (!row_accesses_.empty() && row_accesses_.front().due <= now()) {
    Payload& payload = *row_accesses_.pop().payload;
    access_row(payload, sums_, params_, stats_);
    accumulator.respond(payload);
  }
  if (Payload* held = accumulator.held(); held != nullptr && !row_accesses_.full()) {
    row_accesses_.push({held, now() + params_.accumulator_latency});
    accumulator.take_held();
  }
}

unsigned MatrixUnit::on_debug(unsigned port, Payload& payload) {
  const std::uint32_t bytes = payload.get_data_length();
  const auto address = static_cast<std::uint32_t>(payload.get_address());
  if (port == kAccumulator) return sums_.debug(payload);
  const std::uint32_t offset = address % MATRIX_UNIT_BLOCK_BYTES;
  if (!payload.is_read() || bytes != 4 || !controller_.readable(offset)) return 0;
  const std::uint32_t value = shown(offset);
  std::memcpy(payload.get_data_ptr(), &value, 4);
  return 4;
}

void MatrixUnit::on_response(unsigned port, Payload& payload) {
  if (port == kDma) on_moved(static_cast<DmaPayload&>(payload));
  else on_operands(port, static_cast<OperandPayload&>(payload));
}

void MatrixUnit::on_moved(DmaPayload& payload) {
  const std::uint64_t tag = payload.info.tag;
  if (tag >> 32 == epoch_) {
    const auto c = static_cast<CommandClass>(tag >> 8 & 0xFF);
    const auto entry = static_cast<unsigned>(tag & 0xFF);
    if (payload.is_response_error()) controller_.failed(station_.command(c, entry), now());
    if (c == CommandClass::kStore) --stores_at_dma_;
    complete(c, entry);
    wake_now();
  }
  dma_payloads_.drop(payload);
}

void MatrixUnit::on_operands(unsigned port, OperandPayload& payload) {
  const std::uint64_t tag = payload.info.tag;
  if (tag >> 32 == epoch_) {
    const auto row = static_cast<std::uint32_t>(tag & 0xFFFF);
    const auto rows = static_cast<std::uint32_t>(tag >> 16 & 0xFFFF);
    port == kSharedA ? array_.arrived_a(now(), row, rows, payload.get_data_ptr())
                     : array_.arrived_b(now(), row, rows, payload.get_data_ptr());
    wake_now();
  }
  operands_.drop(payload);
}

void MatrixUnit::reset() {
  ++epoch_;
  controller_.reset();
  unroll_due_ = false;
  loop_start_ = base::kNever;
  station_.reset();
  array_.reset();
  sums_.reset();
  busy_.reset();
  register_access_ = nullptr;
  row_accesses_.clear();
  stores_at_dma_ = 0;
  mmio.reset();
  accumulator.reset();
  smem_a.reset();
  smem_b.reset();
  dma.reset();
  activities_.reset(now());
}

void MatrixUnit::dump_state(std::ostream& out) const {
  out << name() << ": " << (busy_.working() ? "busy" : "idle") << '\n';
  controller_.dump(out);
  station_.dump(out);
  array_.dump(out);
  out << "  stores at the DMA: " << stores_at_dma_ << ", row accesses: " << row_accesses_.size() << '\n';
}

}  // namespace spica::matrix_unit
