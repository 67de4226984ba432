// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/fast_matrix_unit.h"

#include <algorithm>
#include <cstring>

#include "models/matrix_unit/unit_faults.h"
#include "models/matrix_unit/unit_work.h"

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
      front_end_(params),
      decoder_(params, transfers_),
      slots_(params),
      unroller_(params, slots_, transfers_),
      sums_(params),
      kernels_(array_kernels(static_cast<unsigned>(params.dim), params.operand)),
      weights_{std::vector<unsigned char>(params.dim * params.row_bytes()),
               std::vector<unsigned char>(params.dim * params.row_bytes())},
      operand_(params.dim * params.row_bytes()),
      partial_(params.dim * params.dim),
      payload_(payloads_.take()) {
  mmio.attach(*this, kMmio);
  accumulator.attach(*this, kAccumulator);
  dma.attach(*this, kDma);
}

void FastMatrixUnit::wrong(const Origin& origin, const std::string& detail) {
  fault->report(bad_command(params_, time_.now, origin, detail));
}

void FastMatrixUnit::command(std::uint32_t word, const Origin& by) {
  const Origin origin = numbered(by);
  if (front_end_.command(word, origin) != CommandFrontEnd::Taken::kYes)
    return wrong(origin, unknown_word(word, params_));
  ++commands_;
  if (probe_ != nullptr) probe_->on_command(time_.now, source_, origin, word);
  run();
}

void FastMatrixUnit::on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time&) {
  if (port == kAccumulator) return access_row(payload, sums_, params_);
  if (payload.get_data_length() != 4 || payload.get_address() % 4 != 0)
    return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  payload.set_response_status(access_register(payload) ? tlm::TLM_OK_RESPONSE
                                                       : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool FastMatrixUnit::access_register(protocol::Payload& payload) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address() % MATRIX_UNIT_BLOCK_BYTES);
  std::uint32_t value = 0;
  if (payload.is_read()) {
    if (offset == MATRIX_UNIT_BUSY) {
      value = busy() ? 1 : 0;
      if (busy()) time_.poll(idle_from_);
    } else if (offset == MATRIX_UNIT_LOOPS && params_.command_set == CommandSet::kHexadecile) {
      value = running_loops();
      if (value != 0) time_.poll(loop_ends_.front());
    } else {
      return false;
    }
    std::memcpy(payload.get_data_ptr(), &value, 4);
    return true;
  }
  std::memcpy(&value, payload.get_data_ptr(), 4);
  if (offset != MATRIX_UNIT_INSTRUCTION) return operand_registers_.write(offset, value);
  const Origin origin = numbered(protocol::info_of(payload).origin);
  ++commands_;
  const RoccCommand command = operand_registers_.command(value, origin);
  if (probe_ != nullptr) probe_->on_command(time_.now, source_, origin, command.function);
  front_end_.launch(command);
  run();
  return true;
}

std::uint32_t FastMatrixUnit::running_loops() {
  while (!loop_ends_.empty() && loop_ends_.front() <= time_.now) loop_ends_.pop_front();
  return static_cast<std::uint32_t>(loop_ends_.size());
}

/// Everything that has been given to the front end.
void FastMatrixUnit::run() {
  while (!front_end_.idle()) {
    front_end_.tick();
    while (!front_end_.empty()) {
      decode(front_end_.front());
      front_end_.pop();
    }
  }
  idle_from_ = std::max({idle_from_, time_.now + params_.busy_latency, array_free_, dma_free_});
}

void FastMatrixUnit::decode(const RoccCommand& command) {
  if (LoopSlots::is_loop_command(command.function)) {
    const std::string problem = slots_.accept(command, 0);
    if (problem.empty()) return run_loops();
    front_end_.loop_completed();
    return wrong(command.origin, problem);
  }
  const RoccDecoder::Result result = decoder_.decode(command);
  for (unsigned i = 0; i < result.count; ++i) perform(result.commands[i]);
  if (!result.wrong.empty()) wrong(command.origin, result.wrong);
}

void FastMatrixUnit::run_loops() {
  while (slots_.any_configured()) {
    unroller_.start_phases(kAnyTime);
    UnitCommand command;
    if (unroller_.next({true, true, true}, command)) perform(command);
    if (!slots_.retire()) continue;
    if (front_end_.running_loops() != 0) loop_ends_.push_back(std::max(array_free_, dma_free_));
    front_end_.loop_completed();
  }
}

void FastMatrixUnit::perform(const UnitCommand& command) {
  const std::uint32_t id = next_id_++;
  if (probe_ != nullptr) probe_->on_work_begin(time_.now, source_, work_of(command, id, params_));
  switch (command.kind) {
    case UnitCommand::Kind::kLoad:
    case UnitCommand::Kind::kStore:
      if (!move(command)) fault->report(left_memory(params_, time_.now, command));
      break;
    case UnitCommand::Kind::kPreload: preload(command); break;
    case UnitCommand::Kind::kCompute: compute(command); break;
  }
  if (probe_ != nullptr) probe_->on_work_end(time_.now, source_, id);
}

bool FastMatrixUnit::move(const UnitCommand& command) {
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload_.set_address(command.move.global_address);
  payload_.info.origin = command.origin;
  payload_.set_move(command.move);
  sc_core::sc_time delay;
  dma->b_transport(payload_, delay);
  const auto cycles = static_cast<base::Cycle>(delay / cycle_ + 0.5);
  // A store waits for the results it moves.
  const base::Cycle from =
      command.kind == UnitCommand::Kind::kStore ? std::max(array_free_, time_.now) : time_.now;
  dma_free_ = std::max(dma_free_, from) + cycles;
  return !payload_.is_response_error();
}

/// Rows and columns that do not exist count as zero.
void FastMatrixUnit::read_operand(const UnitCommand& command, std::vector<unsigned char>& to) const {
  const std::uint32_t row_bytes = params_.row_bytes(), bytes = command.columns * params_.element_bytes();
  const std::uint32_t rows = command.has_operand ? command.rows : 0;
  if (rows < params_.dim || bytes < row_bytes) std::fill(to.begin(), to.end(), static_cast<unsigned char>(0));
  const unsigned char* from = shared_.data + std::size_t{command.operand_row} * row_bytes;
  for (std::uint32_t row = 0; row < rows; ++row)
    std::memcpy(&to[std::size_t{row} * row_bytes], from + std::size_t{row} * row_bytes, bytes);
}

void FastMatrixUnit::preload(const UnitCommand& command) {
  if (command.has_operand && command.rows != 0) read_operand(command, weights_[active_ ^ 1]);
}

void FastMatrixUnit::compute(const UnitCommand& command) {
  if (command.flip) active_ ^= 1;
  array_free_ = std::max(array_free_, time_.now) + params_.dim;
  macs_ += std::uint64_t{command.rows} * command.columns * params_.dim;
  if (!command.has_result) return;
  read_operand(command, operand_);
  kernels_.multiply(operand_.data(), weights_[active_].data(), partial_.data());
  sums_.add_block(command.accumulator_row, partial_.data(), command.result_rows, command.result_columns,
                  command.accumulate);
}

void FastAcceleratorNode::command(unsigned, std::uint32_t word, const Origin& origin) {
  const unsigned number = word >> MATRIX_UNIT_CISC_UNIT_SHIFT & MATRIX_UNIT_CISC_UNIT_MASK;
  if (number >= units_.size()) return fault->report(no_such_unit(word, units_.size(), time_.now, origin));
  word &= ~(std::uint32_t{MATRIX_UNIT_CISC_UNIT_MASK} << MATRIX_UNIT_CISC_UNIT_SHIFT);
  Unit& to = units_[number];
  // A warp with many active lanes writes several times at once: the first word is taken.
  if (to.last == time_.now && to.core == origin.core)
    return fault->report(word_lost(number, word, true, time_.now, origin));
  to.last = time_.now;
  to.core = origin.core;
  to.unit->command(word, origin);
}

std::uint32_t FastAcceleratorNode::busy() const {
  base::Cycle idle = 0;
  for (const Unit& each : units_)
    if (each.unit->busy()) idle = std::max(idle, each.unit->idle_from());
  if (idle != 0) time_.poll(idle);
  return idle != 0 ? 1 : 0;
}

}  // namespace spica::matrix_unit
