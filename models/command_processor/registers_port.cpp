// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/registers_port.h"

#include <cstring>

namespace spica::command_processor {

unsigned peek_registers(const Queues& queues, std::uint64_t base, protocol::Payload& payload) {
  const auto value = queues.read(payload.get_address() - base);
  if (!payload.is_read() || payload.get_data_length() != sizeof(std::uint32_t) || !value) return 0;
  std::memcpy(payload.get_data_ptr(), &*value, sizeof *value);
  return sizeof *value;
}

bool access_registers(Queues& queues, std::uint64_t base, protocol::Payload& payload) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const auto refuse = [&payload](tlm::tlm_response_status status) {
    payload.set_response_status(status);
    return false;
  };
  if (payload.get_data_length() != sizeof(std::uint32_t)) return refuse(tlm::TLM_BURST_ERROR_RESPONSE);
  if (protocol::info_of(payload).atomic != protocol::Atomic::kNone)
    return refuse(tlm::TLM_COMMAND_ERROR_RESPONSE);
  const std::uint64_t offset = payload.get_address() - base;
  if (!queues.read(offset)) return refuse(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (payload.is_read()) {
    peek_registers(queues, base, payload);
    return false;
  }
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  return queues.write(offset, value) || refuse(tlm::TLM_COMMAND_ERROR_RESPONSE);
}

}  // namespace spica::command_processor
