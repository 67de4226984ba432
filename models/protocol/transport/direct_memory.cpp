// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/direct_memory.h"

#include <string>

#include "models/protocol/transport/foreign_call.h"

namespace spica::protocol {

bool DirectMemory::find(std::uint64_t address, unsigned bytes) {
  if (address >= start_ && address + bytes - 1 <= end_) return true;
  return !denied(address) && request(address) && address + bytes - 1 <= end_;
}

bool DirectMemory::request(std::uint64_t address) {
  Payload payload;
  payload.set_address(address);
  payload.set_command(tlm::TLM_READ_COMMAND);
  tlm::tlm_dmi dmi;
  const bool granted = call_foreign(socket_, [&] { return socket_->get_direct_mem_ptr(payload, dmi); });
  if (granted && dmi.is_read_write_allowed()) {
    base_ = dmi.get_dmi_ptr();
    start_ = dmi.get_start_address();
    end_ = dmi.get_end_address();
    sure_ = end_ - start_ >= kManyBytes ? end_ - start_ - kManyBytes : 0;
    return address >= start_ && address <= end_;
  }
  denied_start_ = dmi.get_start_address();
  denied_end_ = dmi.get_end_address();
  return false;
}

bool DirectMemory::debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                         unsigned bytes) {
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  const bool moved = call_foreign(socket_, [&] { return socket_->transport_dbg(payload); }) == bytes;
  const bool never_direct = base_ == nullptr && denied_start_ == 0 && denied_end_ == ~std::uint64_t{0};
  if (!moved && !moves_ && never_direct)
    SC_REPORT_ERROR(
        "/spica/link",
        (std::string(socket_.name()) +
         ": the memory behind it supports neither get_direct_mem_ptr nor transport_dbg; caches and loaders "
         "need one of them: register one")
            .c_str());
  moves_ = moves_ || moved;
  return moved;
}

}  // namespace spica::protocol
