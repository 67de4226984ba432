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
      log_(params_, stats_, *this),
      station_(static_cast<unsigned>(params.load_entries), static_cast<unsigned>(params.store_entries),
               static_cast<unsigned>(params.execute_entries)),
      array_(params),
      sums_(params),
      operands_(params, stats_, array_, smem_a, smem_b),
      moves_(dma, params.store_commands),
      rows_(params_, stats_, sums_, accumulator),
      busy_(params.busy_latency),
      activities_(stats_.cycles) {
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

bool MatrixUnit::idle() const {
  return !has_work() && register_access_ == nullptr && rows_.due() == base::kNever;
}

void MatrixUnit::tick() {
  const bool was_feeding = array_.feeding();
  SystolicArray::Finished finished;
  if (std::min(array_.next_drain(), array_.pass_end()) <= now()) finished = tick_array();
  array_.start_pass(now());
  if (array_.may_read(now())) operands_.send(now());
  const bool issued = issue();
  const Controller::Progress commands = controller_.tick(now(), station_);
  bool more = controller_.unroll_due() || commands.moved || ((issued || commands.unrolled) && may_issue());
  more |= register_access_ != nullptr && serve_mmio();
  if (rows_.due() != base::kNever) rows_.serve(now());

  if (finished.steps != 0)
    activities_.pass_over(
        finished.step == SystolicArray::Step::kCompute ? Activity::kComputing : Activity::kPreloading,
        finished.steps, now());
  else if (!was_feeding) activities_.charge(activity(), now());
  plan(more || (was_feeding && !array_.feeding()));
}

/// Plans the next tick; `more`: there is something to do immediately.
void MatrixUnit::plan(bool more) {
  if (more) {
    wake_next();
  } else {
    // Nothing moves until something is due in the array, a row access or the start of a loop, or a
    // neighbour calls.
    const base::Cycle next = std::min({array_.next_event(now()), controller_.loop_start(), rows_.due()});
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
  controller_.room_made();
  log_.end(work_id(c, entry), now());
}

/// One command to the array and one to the DMA, stores first.
bool MatrixUnit::issue() {
  const bool execute = array_.can_push() && station_.can_issue(CommandClass::kExecute);
  if (execute) issue(CommandClass::kExecute);
  if (moves_.can_store() && station_.can_issue(CommandClass::kStore)) issue(CommandClass::kStore);
  else if (moves_.can_load() && station_.can_issue(CommandClass::kLoad)) issue(CommandClass::kLoad);
  else return execute;
  return true;
}

void MatrixUnit::issue(CommandClass c) {
  const unsigned entry = station_.issue(c);
  const UnitCommand& command = station_.command(c, entry);
  log_.begin(command, work_id(c, entry), now());
  if (c == CommandClass::kExecute) array_.push(command, entry);
  else moves_.send(command, work_id(c, entry));
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
  if (!rows_.take(payload, now())) return false;
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

unsigned MatrixUnit::on_debug(unsigned port, Payload& payload) {
  if (port == kAccumulator) return sums_.debug(payload);
  const auto offset = static_cast<std::uint32_t>(payload.get_address() % MATRIX_UNIT_BLOCK_BYTES);
  if (!payload.is_read() || payload.get_data_length() != 4 || !controller_.readable(offset)) return 0;
  const std::uint32_t value = shown(offset);
  std::memcpy(payload.get_data_ptr(), &value, 4);
  return 4;
}

void MatrixUnit::on_response(unsigned port, Payload& payload) {
  if (port == kDma) on_moved(moves_.take(payload));
  else if (operands_.take(port == kSharedA, payload, now())) on_operands();
}

void MatrixUnit::on_moved(const Moves::Done& done) {
  if (!done.ours) return;
  const auto c = static_cast<CommandClass>(done.number >> 8);
  const unsigned entry = done.number & 0xFF;
  if (done.failed) log_.failed(station_.command(c, entry), now());
  complete(c, entry);
  wake_now();
}

/// Rows have arrived. The next tick is when the last one enters the array, unless a port waits for each row.
void MatrixUnit::on_operands() {
  if (array_.reads_held_up()) wake_now();
  else if (array_.pass_end() != base::kNever) wake_at(std::max(array_.pass_end(), now()));
}

void MatrixUnit::reset() {
  controller_.reset();
  station_.reset();
  array_.reset();
  sums_.reset();
  operands_.forget_all();
  moves_.forget_all();
  rows_.reset();
  register_access_ = nullptr;
  mmio.reset();
  busy_.reset();
  activities_.reset(now());
}

void MatrixUnit::dump_state(std::ostream& out) const {
  out << name() << ": " << (busy_.working() ? "busy" : "idle") << '\n';
  controller_.dump(out);
  station_.dump(out);
  array_.dump(out);
  out << "  stores at the DMA: " << moves_.stores() << ", row accesses: " << rows_.waiting() << '\n';
}

}  // namespace spica::matrix_unit
