// SPDX-License-Identifier: Apache-2.0
// The path between cores that play requests and memories that answer them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/mio/mio.h"
#include "testbenches/support/bench.h"

namespace spica::testbench {

using mio::Mio;
using mio::MioParams;

/// Answers warp accesses `latency` cycles after it has taken them; those to addresses below 0x1000 take as many passes
/// as the hundreds of the address.
class PathMemory final : public base::Component, private protocol::RequestHandler {
 public:
  PathMemory(const sc_core::sc_module_name& name, const base::ClockDomain& clock, Cycle latency,
             std::size_t capacity)
      : Component(name, clock), latency_(latency), queue_(capacity) {
    socket.attach(*this);
  }
  protocol::WarpTargetSocket socket{"socket"};
  std::vector<Cycle> taken;
  /// From this address on a cache would have to fetch 128 bytes for each access.
  static constexpr std::uint32_t kMissed = 0x10000;

  void tick() override {
    while (!queue_.empty() && queue_.front().due <= now()) {
      Payload& payload = *queue_.pop().payload;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      socket.respond(payload);
      if (Payload* const held = socket.held(); held != nullptr) {
        take(*held);
        socket.take_held();
      }
    }
    if (!queue_.empty()) wake_at(queue_.front().due);
  }
  void reset() override { queue_.clear(); }
  bool idle() const override { return queue_.empty(); }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  struct Item {
    Payload* payload;
    Cycle due;
  };
  bool on_request(unsigned, Payload& payload) override {
    if (queue_.full()) return false;
    take(payload);
    return true;
  }
  void take(Payload& payload) {
    const std::uint64_t passes = payload.get_address() >> 8 & 15;
    if (passes != 0 && payload.get_address() < 0x1000)
      protocol::access_of(payload)->passes = static_cast<std::uint8_t>(passes);
    protocol::access_of(payload)->fetched = payload.get_address() < kMissed ? 0 : 128;
    taken.push_back(now());
    queue_.push({&payload, now() + latency_});
    wake_at(queue_.front().due);
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }

  const Cycle latency_;
  base::BoundedQueue<Item> queue_;
  base::StatGroup stats_;
};

inline MioParams params_of(std::uint64_t cores) {
  MioParams params;
  params.present = params.shared_data_path = true;
  params.cores = cores;
  return params;
}

/// Cores that play requests, the path, and the two memories behind it. Several in a bench have different suffixes.
struct Path {
  explicit Path(Bench& bench, const MioParams& params, std::size_t shared_capacity = 64,
                std::size_t global_capacity = 64, const std::string& suffix = "")
      : shared(("shared" + suffix).c_str(), bench.clock, 10, shared_capacity),
        global(("global" + suffix).c_str(), bench.clock, 10, global_capacity),
        dut(("dut" + suffix).c_str(), params, bench.clock) {
    bench.add(shared);
    bench.add(global);
    dut.smem[0].bind(shared.socket);
    dut.gmem[0].bind(global.socket);
    if (dut.smem.size() == 2) {
      more.push_back(
          std::make_unique<PathMemory>(("shared_1" + suffix).c_str(), bench.clock, 10, shared_capacity));
      dut.smem[1].bind(more.back()->socket);
    }
    if (dut.gmem.size() == 2) {
      more.push_back(
          std::make_unique<PathMemory>(("global_1" + suffix).c_str(), bench.clock, 10, global_capacity));
      dut.gmem[1].bind(more.back()->socket);
    }
    for (const auto& memory : more) bench.add(*memory);
    bench.add(dut);
    for (unsigned core = 0; core < params.cores; ++core)
      for (const bool global_side : {false, true}) {
        agents.push_back(std::make_unique<WarpTrafficAgent>(
            ("agent_" + std::to_string(agents.size()) + suffix).c_str(), bench.clock));
        agents.back()->socket.bind(global_side ? dut.gmem_in[core] : dut.smem_in[core]);
        bench.add(*agents.back());
      }
  }
  WarpTrafficAgent& core(unsigned number, bool global_side = false) {
    return *agents[2 * number + (global_side ? 1 : 0)];
  }
  /// Of 32 lanes on consecutive words from `address` on; to shared memory (address >> 8) & 15 passes, at least one.
  WarpPayload& load(unsigned number, Cycle cycle, std::uint32_t address, bool global_side = false,
                    std::uint32_t stride = 4) {
    std::vector<std::uint32_t> addresses;
    for (unsigned lane = 0; lane < 32; ++lane) addresses.push_back(address + lane * stride);
    WarpPayload& payload = core(number, global_side).warp(tlm::TLM_READ_COMMAND, ~0u, addresses);
    core(number, global_side).at(cycle, payload);
    return payload;
  }
  WarpPayload& store(unsigned number, Cycle cycle, std::uint32_t address) {
    WarpPayload& payload =
        core(number).warp(tlm::TLM_WRITE_COMMAND, ~0u, std::vector<std::uint32_t>(32, address));
    core(number).at(cycle, payload);
    return payload;
  }
  std::uint64_t cycles(const char* reason) {
    dut.settle_stats();
    const auto& path = dut.stats().accounts().front();
    for (std::size_t i = 0; i < path.size(); ++i)
      if (path.reason(i) == reason) return path.cycles(i);
    throw std::logic_error("no such reason");
  }

  PathMemory shared, global;
  std::vector<std::unique_ptr<PathMemory>> more;  // at the ports of the second unit
  Mio dut;
  std::vector<std::unique_ptr<WarpTrafficAgent>> agents;
};

}  // namespace spica::testbench
