// SPDX-License-Identifier: Apache-2.0
// The whole path from warp accesses to DRAM, as the cluster wires it, and a core that checks its
// data.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "models/cache/cache.h"
#include "models/coalescer/coalescer.h"
#include "models/interconnect/crossbar.h"
#include "models/main_memory/main_memory.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

namespace spica::testbench {

inline constexpr std::uint32_t kBase = 0x80000000;

/// Coalescer and L1 data cache of each core, an L1 instruction cache each, one more bus master (the
/// DMA), bus, L2, DRAM. Add what drives it to the clock after building it.
struct MemorySystem {
  Bench bench;
  main_memory::MainMemory memory;
  cache::Cache l2;
  interconnect::Crossbar bus;
  std::vector<std::unique_ptr<cache::Cache>> l1i, l1d;
  std::vector<std::unique_ptr<coalescer::Coalescer>> coalescers;
  protocol::Reservations reservations;

  static interconnect::CrossbarParams bus_params(unsigned cores) {
    interconnect::CrossbarParams p;
    p.masters = 2 * cores + 1;
    return p;
  }

  explicit MemorySystem(unsigned cores, const cache::Params& l1d_params = cache::Params::l1_data(8),
                        const cache::Params& l2_params = cache::Params::l2(),
                        const main_memory::Params& memory_params = {},
                        const coalescer::Params& coalescer_params = {})
      : memory("memory", memory_params, bench.clock),
        l2("l2", l2_params, bench.clock),
        bus("bus", bus_params(cores), bench.clock) {
    bench.add(memory);
    bench.add(l2);
    bench.add(bus);
    l2.out.bind(memory.in);
    bus.out[0].bind(l2.in[0]);
    l2.share_reservations(reservations);
    for (unsigned i = 0; i < cores; ++i) {
      const std::string number = std::to_string(i);
      l1i.push_back(std::make_unique<cache::Cache>(("l1i_" + number).c_str(), cache::Params::l1_instruction(),
                                                   bench.clock));
      l1d.push_back(std::make_unique<cache::Cache>(("l1d_" + number).c_str(), l1d_params, bench.clock));
      coalescers.push_back(std::make_unique<coalescer::Coalescer>(("coalescer_" + number).c_str(),
                                                                  coalescer_params, bench.clock));
      bench.add(*l1i[i]);
      bench.add(*l1d[i]);
      bench.add(*coalescers[i]);
      l1d[i]->share_reservations(reservations);
      for (unsigned port = 0; port < l1d[i]->in.size(); ++port)
        coalescers[i]->out[port].bind(l1d[i]->in[port]);
      l1d[i]->out.bind(bus.in[i]);
      l1i[i]->out.bind(bus.in[cores + i]);
    }
  }
  protocol::TargetSocket& dma() { return bus.in[2 * l1i.size()]; }

  void reset() {
    memory.reset();
    l2.reset();
    bus.reset();
    for (std::size_t i = 0; i < l1d.size(); ++i) {
      l1i[i]->reset();
      l1d[i]->reset();
      coalescers[i]->reset();
    }
  }
  bool idle() const {
    bool all = memory.idle() && l2.idle() && bus.idle();
    for (std::size_t i = 0; i < l1d.size(); ++i)
      all = all && l1i[i]->idle() && l1d[i]->idle() && coalescers[i]->idle();
    return all;
  }
};

/// Issues random loads, stores and atomics to words of its own (word number modulo cores), keeps
/// several in flight, and checks that each load sees what its own program order says. Lines are
/// shared with the other cores.
class RandomCore final : public base::Component, private protocol::ResponseHandler {
 public:
  RandomCore(const sc_core::sc_module_name& name, const base::ClockDomain& clock, unsigned core,
             unsigned cores, std::uint32_t words, unsigned count)
      : Component(name, clock), core_(core), cores_(cores), words_(words), left_(count), random_(core + 1) {
    socket.attach(*this);
  }

  protocol::WarpInitiatorSocket socket{"socket"};
  unsigned outstanding = 0;
  unsigned answered = 0;
  base::Cycle last = 0;
  bool with_atomics = true;

  void tick() override {
    if (left_ != 0 && outstanding < 12 && socket.ready()) {
      if (draw() % 4 != 0) issue();
      if (left_ != 0) wake_next();
    }
  }
  void reset() override {
    left_ = 0;
    outstanding = 0;
    socket.reset();
  }
  bool idle() const override { return left_ == 0 && outstanding == 0; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}
  std::uint32_t expected(std::uint32_t address) const {
    const auto found = memory_.find(address);
    return found == memory_.end() ? 0 : found->second;
  }
  const std::unordered_map<std::uint32_t, std::uint32_t>& contents() const { return memory_; }
  using Component::wake_at;

 private:
  std::uint32_t draw() { return static_cast<std::uint32_t>(random_()); }
  void issue() {
    protocol::WarpPayload& payload = pool_.take();
    payload.access = {};
    payload.info = {};
    payload.info.origin.core = static_cast<std::uint16_t>(core_);
    const unsigned what = draw() % 16;
    const bool atomic = with_atomics && what == 0;
    const bool write = atomic || what < 7;
    payload.set_command(write && !atomic ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (atomic) payload.info.atomic = protocol::Atomic::kAdd;
    protocol::WarpAccess& access = payload.access;
    access.mask = draw() % 3 == 0 ? draw() % 255 + 1 : 0xFF;
    const unsigned shape = draw() % 4;
    const std::uint32_t start = draw() % words_;
    auto& expected_data = expected_[&payload];
    expected_data = {};
    for (unsigned lane = 0; lane < 8; ++lane) {
      const std::uint32_t word = shape == 0 ? draw() : shape == 1 ? start : start + lane;
      access.address[lane] = kBase + 4 * (word % words_ * cores_ + core_);
      access.data[lane] = draw();
      if ((access.mask >> lane & 1) == 0) continue;
      std::uint32_t& value = memory_[access.address[lane]];
      if (!write || atomic) expected_data[lane] = value;
      if (atomic) value += access.data[lane];
      if (write && !atomic) value = access.data[lane];
    }
    --left_;
    ++outstanding;
    socket.send(payload);
  }
  void on_response(unsigned, protocol::Payload& payload) override {
    auto& warp = static_cast<protocol::WarpPayload&>(payload);
    REQUIRE(payload.is_response_ok());
    if (payload.is_read() || warp.info.atomic != protocol::Atomic::kNone)
      for (unsigned lane = 0; lane < 8; ++lane)
        if ((warp.access.mask >> lane & 1) != 0) REQUIRE(warp.access.data[lane] == expected_[&payload][lane]);
    --outstanding;
    ++answered;
    last = now();
    pool_.drop(warp);
    wake_now();
  }
  void on_ready(unsigned) override { wake_now(); }

  const unsigned core_, cores_;
  const std::uint32_t words_;
  unsigned left_;
  std::mt19937 random_;
  std::unordered_map<std::uint32_t, std::uint32_t> memory_;
  std::unordered_map<protocol::Payload*, std::array<std::uint32_t, 8>> expected_;
  protocol::WarpPool pool_;
  base::StatGroup stats_;
};

/// Reads consecutive 64-byte lines with a fixed number of requests in flight, like the reader of
/// the DMA.
class StreamReader final : public base::Component, private protocol::ResponseHandler {
 public:
  StreamReader(const sc_core::sc_module_name& name, const base::ClockDomain& clock, unsigned in_flight)
      : Component(name, clock), in_flight_(in_flight) {
    socket.attach(*this);
  }

  protocol::InitiatorSocket socket{"socket"};
  base::Cycle first = 0, last = 0;  // first request sent, last response

  void start(std::uint64_t address, unsigned lines) {
    address_ = address;
    total_ = lines;
    sent_ = answered_ = 0;
    wake_now();
  }
  void tick() override {
    if (sent_ == total_ || sent_ - answered_ >= in_flight_ || !socket.ready()) return;
    if (sent_ == 0) first = now();
    protocol::LinePayload& payload = pool_.take();
    payload.setup(tlm::TLM_READ_COMMAND, address_ + 64 * std::uint64_t{sent_}, 64, {});
    ++sent_;
    socket.send(payload);
    wake_next();
  }
  void reset() override {}
  bool idle() const override { return answered_ == total_; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  void on_response(unsigned, protocol::Payload& payload) override {
    pool_.drop(static_cast<protocol::LinePayload&>(payload));
    ++answered_;
    last = now();
    wake_now();
  }
  void on_ready(unsigned) override { wake_now(); }

  const unsigned in_flight_;
  std::uint64_t address_ = 0;
  unsigned total_ = 0, sent_ = 0, answered_ = 0;
  protocol::LinePool pool_;
  base::StatGroup stats_;
};

}  // namespace spica::testbench
