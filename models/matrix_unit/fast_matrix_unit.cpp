// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/fast_matrix_unit.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/matrix_unit/unit_faults.h"

namespace spica::matrix_unit {

namespace {
constexpr base::Cycle kAnyTime = ~base::Cycle{0} >> 1;  // every loop may start
}

FastMatrixUnit::FastMatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
                               const sc_core::sc_time& cycle, protocol::LooseTime& time)
    : sc_module(name),
      params_(params),
      cycle_(cycle),
      time_(time),
      controller_(params_, stats_, *this),
      log_(params_, stats_, *this),
      multiplier_(params),
      operand_(params),
      partial_(BlockMultiplier::numbers_of(params)),
      sums_(params),
      payload_(payloads_.take()) {
  mmio.attach(*this, kMmio);
  accumulator.attach(*this, kAccumulator);
  dma.attach(*this, kDma);
}

void FastMatrixUnit::command(unsigned, std::uint32_t word, const Origin& by) {
  if (controller_.write_word(word, by, time_.now)) run();
}

void FastMatrixUnit::reset() {
  controller_.reset();
  multiplier_.reset();
  sums_.reset();
  array_free_ = dma_free_ = idle_from_ = 0;
  loop_ends_.clear();
}

void FastMatrixUnit::architecture(base::Checkpoint& checkpoint) {
  checkpoint(controller_, multiplier_, sums_);
}

bool FastMatrixUnit::timing(base::Checkpoint& checkpoint) {
  checkpoint(stats_, operand_, array_free_, dma_free_, idle_from_, loop_ends_, next_id_);
  return true;
}

void FastMatrixUnit::dump_state(std::ostream& out) const {
  out << name() << ": ";
  if (works()) out << "everything is done; shows busy until cycle " << idle_from_ << '\n';
  else out << "idle\n";
}

void FastMatrixUnit::on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time&) {
  if (port == kAccumulator) return access_row(payload, sums_, params_, stats_);
  if (controller_.serve(payload, time_.now, [this](std::uint32_t offset) { return poll(offset); }) ==
      Controller::Served::kLaunched)
    run();
}

/// What the register at `offset` shows; software that sees work in progress will poll again.
std::uint32_t FastMatrixUnit::poll(std::uint32_t offset) {
  if (offset == MATRIX_UNIT_BUSY) {
    if (busy(time_.now)) time_.poll(idle_from_);
    return busy(time_.now) ? 1 : 0;
  }
  while (!loop_ends_.empty() && loop_ends_.front() <= time_.now) loop_ends_.pop_front();
  if (!loop_ends_.empty()) time_.poll(loop_ends_.front());
  return static_cast<std::uint32_t>(loop_ends_.size());
}

/// Everything that has been given to the controller.
void FastMatrixUnit::run() {
  while (controller_.waiting()) {
    controller_.expand();
    while (controller_.has_front()) {
      const RoccDecoder::Result& decoded = controller_.take_front(time_.now);
      for (unsigned i = 0; i < decoded.count; ++i) perform(decoded.commands[i]);
      run_loops();
    }
  }
  idle_from_ = std::max({idle_from_, time_.now + params_.busy_latency, array_free_, dma_free_});
}

void FastMatrixUnit::run_loops() {
  while (controller_.loops_configured()) {
    UnitCommand command;
    const Controller::Unrolled found = controller_.unroll(kAnyTime, {true, true, true}, command);
    if (found.command) perform(command);
    if (found.counted) loop_ends_.push_back(std::max(array_free_, dma_free_));
  }
}

void FastMatrixUnit::perform(const UnitCommand& command) {
  const std::uint32_t id = next_id_++;
  log_.begin(command, id, time_.now);
  switch (command.kind) {
    case UnitCommand::Kind::kLoad:
    case UnitCommand::Kind::kStore:
      if (!move(command)) log_.failed(command, time_.now);
      break;
    case UnitCommand::Kind::kPreload: preload(command); break;
    case UnitCommand::Kind::kCompute: compute(command); break;
  }
  log_.end(id, time_.now);
}

bool FastMatrixUnit::move(const UnitCommand& command) {
  payload_.setup(command);
  sc_core::sc_time delay;
  dma->b_transport(payload_, delay);
  const auto cycles = static_cast<base::Cycle>(std::llround(delay / cycle_));
  // A store waits for the results it moves.
  const base::Cycle from =
      command.kind == UnitCommand::Kind::kStore ? std::max(array_free_, time_.now) : time_.now;
  dma_free_ = std::max(dma_free_, from) + cycles;
  return !payload_.is_response_error();
}

void FastMatrixUnit::read_operand(const BlockWork& work) {
  const std::uint32_t row_bytes = params_.row_bytes(), bytes = work.columns * params_.element_bytes();
  const unsigned char* const from = smem_b->data + std::size_t{work.operand_row} * row_bytes;
  operand_.begin(work.operand_rows(), bytes);
  if (bytes == row_bytes) return operand_.put(0, work.operand_rows(), from);
  for (std::uint32_t row = 0; row < work.operand_rows(); ++row)
    operand_.put(row, 1, from + std::size_t{row} * row_bytes);
}

void FastMatrixUnit::preload(const BlockWork& work) {
  if (work.operand_rows() == 0) return;
  read_operand(work);
  multiplier_.preload(work, operand_);
}

void FastMatrixUnit::compute(const BlockWork& work) {
  array_free_ = std::max(array_free_, time_.now) + params_.dim;
  if (work.has_result) read_operand(work);
  multiplier_.compute(work, operand_, work.has_result ? partial_.data() : nullptr);
  if (!work.has_result) return;
  sums_.add_block(work.accumulator_row, partial_.data(), work.result_rows, work.result_columns,
                  work.accumulate);
}

void FastAcceleratorNode::command(unsigned core, std::uint32_t word, const Origin& origin) {
  const unsigned number = unit_of(word);
  if (number >= units_.size()) return fault->report(no_such_unit(word, units_.size(), time_.now, origin));
  Unit& unit = units_[number];
  word = without_unit(word);
  if (unit.slot.offer(core, time_.now) == WordSlot::Offer::kSameInstruction)
    return fault->report(word_lost(number, word, true, time_.now, origin));
  unit.slot.take(core, time_.now);
  unit.unit->command(core, word, origin);
}

bool FastAcceleratorNode::timing(base::Checkpoint& checkpoint) {
  for (Unit& unit : units_) checkpoint(unit.slot);
  return true;
}

std::uint32_t FastAcceleratorNode::busy() const {
  base::Cycle idle = 0;
  for (const Unit& each : units_)
    if (each.unit->busy(time_.now)) idle = std::max(idle, each.unit->idle_from());
  if (idle != 0) time_.poll(idle);
  return idle != 0 ? 1 : 0;
}

}  // namespace spica::matrix_unit
