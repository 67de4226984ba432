// SPDX-License-Identifier: Apache-2.0
// What others read and write of the matrix unit: MMIO registers and accumulator rows; and
// reports.
#include <fmt/format.h>

#include <cstring>

#include "models/matrix_unit/matrix_unit.h"
#include "models/matrix_unit/unit_faults.h"

namespace spica::matrix_unit {

using protocol::Payload;

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
  if (register_access_ == nullptr) return false;
  Payload& payload = *register_access_;
  const auto offset = static_cast<std::uint32_t>(payload.get_address() % MATRIX_UNIT_BLOCK_BYTES);
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (payload.get_data_length() != 4 || offset % 4 != 0) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  } else if (payload.is_read()) {
    if (offset == MATRIX_UNIT_BUSY ||
        (offset == MATRIX_UNIT_LOOPS && params_.command_set == CommandSet::kHexadecile)) {
      const std::uint32_t value = read_register(offset);
      std::memcpy(payload.get_data_ptr(), &value, 4);
      ++stats_.mmio_reads;
    } else {
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
  } else {
    if (offset == MATRIX_UNIT_INSTRUCTION && !front_end_.can_launch()) return false;  // held
    std::uint32_t value;
    std::memcpy(&value, payload.get_data_ptr(), 4);
    if (!write_register(offset, value, protocol::info_of(payload).origin))
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  payload.set_response_status(status);
  register_access_ = nullptr;
  mmio.respond(payload);
  if (Payload* held = mmio.held(); held != nullptr && register_access_ == nullptr) {
    register_access_ = held;
    mmio.take_held();
  }
  return true;
}

std::uint32_t MatrixUnit::read_register(std::uint32_t offset) const {
  if (offset == MATRIX_UNIT_LOOPS) return front_end_.running_loops();
  return busy(now()) ? 1 : 0;
}

/// The origin of the next command.
protocol::Origin MatrixUnit::numbered(protocol::Origin by) const {
  by.command = commands_ + 1;
  return by;
}

bool MatrixUnit::write_register(std::uint32_t offset, std::uint32_t value, const protocol::Origin& by) {
  if (offset != MATRIX_UNIT_INSTRUCTION) return operand_registers_.write(offset, value);
  const protocol::Origin origin = numbered(by);
  ++commands_;
  const RoccCommand command = operand_registers_.command(value, origin);
  if (probe_ != nullptr) probe_->on_command(now(), source_, origin, command.function);
  front_end_.launch(command);
  ++stats_.mmio_commands;
  start_work();
  return true;
}

void MatrixUnit::serve_accumulator() {
  while (!row_accesses_.empty() && row_accesses_.front().due <= now()) {
    Payload& payload = *row_accesses_.pop().payload;
    access_row(payload);
    accumulator.respond(payload);
  }
  if (Payload* held = accumulator.held(); held != nullptr && !row_accesses_.full()) {
    row_accesses_.push({held, now() + params_.accumulator_latency});
    accumulator.take_held();
  }
}

void MatrixUnit::access_row(Payload& payload) {
  matrix_unit::access_row(payload, sums_, params_);
  if (payload.is_response_error()) return;
  if (payload.is_read()) {
    ++stats_.accumulator_rows_read;
  } else {
    ++stats_.accumulator_rows_loaded;
    stats_.accumulator_rows_accumulated += sums_.take_rows_accumulated();
  }
}

unsigned MatrixUnit::on_debug(unsigned port, Payload& payload) {
  const std::uint32_t bytes = payload.get_data_length();
  const auto address = static_cast<std::uint32_t>(payload.get_address());
  if (port == kMmio) {
    const std::uint32_t offset = address % MATRIX_UNIT_BLOCK_BYTES;
    if (!payload.is_read() || bytes != 4 || (offset != MATRIX_UNIT_BUSY && offset != MATRIX_UNIT_LOOPS))
      return 0;
    const std::uint32_t value = read_register(offset);
    std::memcpy(payload.get_data_ptr(), &value, 4);
    return 4;
  }
  // Whole sums in FP32, wherever they start.
  if (address % 4 != 0 || bytes % 4 != 0 || address + bytes > params_.accumulator_bytes) return 0;
  for (std::uint32_t i = 0; i < bytes; i += 4) {
    unsigned char* at = payload.get_data_ptr() + i;
    float* sum = const_cast<float*>(sums_.row(0)) + (address + i) / 4;
    payload.is_read() ? std::memcpy(at, sum, 4) : std::memcpy(sum, at, 4);
  }
  return bytes;
}

void MatrixUnit::bad_command(const protocol::Origin& origin, const std::string& detail) {
  ++stats_.bad_commands;
  fault->report(matrix_unit::bad_command(params_, now(), origin, detail));
}

void MatrixUnit::lost_command(const protocol::Origin& origin, std::uint32_t word) {
  protocol::GuestFault report{};
  report.kind = protocol::FaultKind::kCommandLost;
  report.severity = protocol::Severity::kWarning;
  report.cycle = now();
  report.origin = origin;
  report.detail = fmt::format(
      "matrix unit {}: command 0x{:08x} arrived while another was being expanded and {}", params_.unit, word,
      params_.command_queue == 0 ? "there is no queue" : "the queue was full");
  fault->report(report);
}

}  // namespace spica::matrix_unit
