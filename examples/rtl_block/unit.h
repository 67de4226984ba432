// SPDX-License-Identifier: Apache-2.0
// What the model and the RTL of the product unit have in common: the socket, the two cycles of an APB access, and the
// statistics. product_unit.sv has the registers.
#pragma once

#include <spica/models/protocol/transport/sockets.h>
#include <spica/platform/machine/soc/block.h>

#include <cstdint>
#include <cstring>
#include <ostream>
#include <utility>

/// Shape   one access at a time, of 4 bytes
/// Timing  an access takes its setup cycle, the one after the request, and access cycles until the unit is ready
class ProductUnit : public spica::base::Component, private spica::protocol::RequestHandler {
 public:
  ProductUnit(const sc_core::sc_module_name& name, const spica::base::ClockDomain& clock)
      : Component(name, clock) {
    in.attach(*this);
  }

  spica::protocol::TargetSocket in{"in"};

  void tick() override {
    const bool selected = request_ != nullptr, access = selected && enable_;
    std::uint32_t data = 0;
    if (selected && request_->is_write()) std::memcpy(&data, request_->get_data_ptr(), 4);
    const Pins pins = cycle({selected, access, selected && request_->is_write(),
                             selected ? static_cast<unsigned>(request_->get_address() & 0x1FC) : 0, data});
    busy_cycles_ += pins.busy ? 1 : 0;
    wait_cycles_ += access && !pins.ready ? 1 : 0;
    enable_ = selected;
    if (access && pins.ready) answer(pins);
    if (selected || request_ != nullptr || pins.busy) wake_next();
  }
  void reset() override {
    request_ = nullptr;
    enable_ = false;
    in.reset();
  }
  bool idle() const override { return request_ == nullptr; }
  spica::base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override {
    if (request_ != nullptr) out << name() << ": an access waits for the end of a product\n";
  }

 protected:
  struct Bus {
    bool select, enable, write;
    unsigned address;
    std::uint32_t data;
  };
  struct Pins {
    bool ready, error, busy;
    std::uint32_t data;
  };
  /// One cycle of the unit with these inputs; what its outputs are in it.
  virtual Pins cycle(const Bus& bus) = 0;

 private:
  using Payload = spica::protocol::Payload;

  bool on_request(unsigned, Payload& payload) override {
    if (request_ != nullptr) return false;  // the socket holds it until take_held()
    request_ = &payload;
    wake_next();
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }

  void answer(const Pins& pins) {
    Payload& payload = *std::exchange(request_, nullptr);
    enable_ = false;
    const bool word = payload.get_data_length() == 4;
    if (payload.is_read() && word) std::memcpy(payload.get_data_ptr(), &pins.data, 4);
    payload.set_response_status(!word        ? tlm::TLM_BURST_ERROR_RESPONSE
                                : pins.error ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                             : tlm::TLM_OK_RESPONSE);
    in.respond(payload);
    if (request_ != nullptr || in.held() == nullptr) return;
    request_ = in.held();
    in.take_held();
  }

  Payload* request_ = nullptr;
  bool enable_ = false;  // the access is in its second cycle, or a later one
  spica::base::StatGroup stats_;
  spica::base::Counter busy_cycles_{stats_, "busy_cycles", spica::base::Unit::kCycles,
                                    "cycles with a product under way"};
  spica::base::Counter wait_cycles_{stats_, "wait_cycles", spica::base::Unit::kCycles,
                                    "cycles in which an access waited"};
};
