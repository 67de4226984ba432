// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"

namespace spica::testbench {

/// A memory with several ports, each with a fixed latency and room for `capacity` requests.
/// Performs reads, writes with byte enables and atomic additions when it answers. Addresses at or
/// above `limit` are errors.
class PortMemory final : public base::Component, private protocol::RequestHandler {
 public:
  PortMemory(const sc_core::sc_module_name& name, const base::ClockDomain& clock, std::size_t ports,
             base::Cycle latency, std::size_t capacity)
      : Component(name, clock), in("in", ports), latency_(latency) {
    for (unsigned i = 0; i < ports; ++i) {
      in[i].attach(*this, i);
      queues_.emplace_back(capacity);
    }
  }

  struct Seen {
    unsigned port;
    base::Cycle cycle;
    std::uint64_t address;
    unsigned bytes;
    bool write;
    std::uint32_t lanes;
    unsigned sectors;
  };
  sc_core::sc_vector<protocol::TargetSocket> in;
  std::vector<Seen> seen;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint16_t fetched = 0;  // that each answer says (RequestInfo)
  std::unordered_map<std::uint64_t, std::uint8_t> bytes;

  std::uint32_t word(std::uint64_t address) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{bytes[address + i]} << (8 * i);
    return value;
  }
  void set_word(std::uint64_t address, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  void tick() override {
    base::Cycle next = base::kNever;
    for (unsigned i = 0; i < queues_.size(); ++i) {
      auto& queue = queues_[i];
      if (!queue.empty() && queue.front().due <= now()) {
        protocol::Payload& payload = *queue.pop().payload;
        const bool ok = payload.get_address() < limit;
        if (ok) move(payload);
        payload.get_extension<protocol::RequestInfo>()->fetched = fetched;
        payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        in[i].respond(payload);
      }
      if (protocol::Payload* held = in[i].held(); held != nullptr && !queue.full()) {
        accept(i, *held);
        in[i].take_held();
      }
      if (!queue.empty()) next = std::min(next, std::max(queue.front().due, now() + 1));
    }
    if (next != base::kNever) wake_at(next);
  }
  void reset() override {
    for (auto& queue : queues_) queue.clear();
    for (auto& socket : in) socket.reset();
  }
  bool idle() const override {
    for (const auto& queue : queues_)
      if (!queue.empty()) return false;
    return true;
  }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  struct Item {
    protocol::Payload* payload;
    base::Cycle due;
  };
  bool on_request(unsigned port, protocol::Payload& payload) override {
    if (queues_[port].full()) return false;
    accept(port, payload);
    return true;
  }
  void accept(unsigned port, protocol::Payload& payload) {
    seen.push_back({port, now(), payload.get_address(), payload.get_data_length(), payload.is_write(),
                    protocol::info_of(payload).origin.lanes, protocol::info_of(payload).sectors});
    queues_[port].push({&payload, now() + latency_});
    wake_at(now() + latency_);
  }
  unsigned on_debug(unsigned, protocol::Payload& payload) override {
    move(payload);
    return payload.get_data_length();
  }
  void move(protocol::Payload& payload) {
    const std::uint64_t address = payload.get_address();
    unsigned char* data = payload.get_data_ptr();
    const unsigned char* enables = payload.get_byte_enable_ptr();
    if (protocol::info_of(payload).atomic == protocol::Atomic::kAdd) {
      std::uint32_t operand = 0;
      std::memcpy(&operand, data, 4);
      const std::uint32_t old = word(address);
      set_word(address, old + operand);
      std::memcpy(data, &old, 4);
      return;
    }
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (enables != nullptr && enables[i] == 0) continue;
      if (payload.is_write()) bytes[address + i] = data[i];
      else data[i] = bytes[address + i];
    }
  }

  const base::Cycle latency_;
  std::vector<base::BoundedQueue<Item>> queues_;
  base::StatGroup stats_;
};

}  // namespace spica::testbench
