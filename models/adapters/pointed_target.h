// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <ostream>

#include "models/base/component.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/pointed_memory.h"
#include "models/protocol/transport/sockets.h"

namespace spica::adapters {

/// A memory of the fast mode behind a socket: immediate b_transport and debug access. Belongs to no clock domain.
class PointedTarget final : public base::Component, private protocol::RequestHandler {
 public:
  /// Request addresses are addresses of `memory` minus `origin`.
  PointedTarget(const sc_core::sc_module_name& name, const protocol::PointedMemory& memory,
                std::uint64_t origin, const base::ClockDomain& clock)
      : Component(name, clock), memory_(memory), origin_(origin) {
    in.attach(*this);
  }

  protocol::TargetSocket in{"in"};

  void tick() override {}
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return none_; }
  void dump_state(std::ostream&) const override {}

 private:
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned, protocol::Payload& payload) override {
    const unsigned bytes = payload.get_data_length();
    const std::uint64_t address = origin_ + payload.get_address();
    if (!memory_.contains(address, bytes)) return 0;
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0, n = 0; i < bytes; i += n) {  // runs of enabled bytes, or byte by byte
      n = enables == nullptr ? bytes : 1;
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
      unsigned char* const data = payload.get_data_ptr() + i;
      if (payload.is_write()) memory_.store(protocol::info_of(payload).origin, address + i, data, n);
      else std::memcpy(data, memory_.at(address + i), n);
    }
    return bytes;
  }
  bool on_direct_memory(unsigned, protocol::Payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_dmi_ptr(memory_.data);
    dmi.set_start_address(memory_.base - origin_);
    dmi.set_end_address(memory_.base - origin_ + (memory_.size - 1));
    dmi.allow_read_write();
    return true;
  }

  const protocol::PointedMemory memory_;
  const std::uint64_t origin_;
  base::StatGroup none_;
};

}  // namespace spica::adapters
