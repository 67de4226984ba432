// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/shared_memory/shared_memory_block.h"
#include "testbenches/support/bench.h"

namespace spica::testbench {

using shared_memory::Arbitration;
using shared_memory::SharedMemoryBlock;
using shared_memory::SharedMemoryParams;
using shared_memory::Unaligned;

/// A shared memory with one traffic agent at each port. Several may share a bench: SystemC
/// elaborates once per process, so a test that varies parameters builds all variants first and runs
/// them side by side.
struct Cluster final : sc_core::sc_module {
  using Make = std::unique_ptr<SharedMemoryBlock>(const sc_core::sc_module_name& name,
                                                  const SharedMemoryParams& params,
                                                  const base::ClockDomain& clock);
  explicit Cluster(Bench& b, const SharedMemoryParams& p = {},
                   const sc_core::sc_module_name& name = sc_core::sc_gen_unique_name("cluster"),
                   Make* make = &shared_memory::make_shared_memory)
      : sc_module(name), params(p), bench(b), block(make("dut", p, b.clock)), dut(*block) {
    bench.add(dut);
    for (std::size_t i = 0; i < dut.wide_in.size(); ++i) attach(wide, "wide_", i, dut.wide_in[i]);
    for (std::size_t i = 0; i < dut.core_in.size(); ++i) attach(core, "core_", i, dut.core_in[i]);
  }

  /// Response cycle of a request sent in cycle `t` that is served at once, and `extra` cycles
  /// later.
  Cycle core_read(Cycle t, Cycle extra = 0) const {
    return t + params.core_request_latency + extra + params.read_latency + params.core_response_latency;
  }
  Cycle core_write(Cycle t, Cycle extra = 0) const {
    return t + params.core_request_latency + extra + params.write_latency + params.core_response_latency;
  }
  Cycle wide_read(Cycle t, Cycle extra = 0) const {
    return t + params.wide_buffer_latency + extra + params.read_latency + params.wide_buffer_latency;
  }
  Cycle wide_write(Cycle t, Cycle extra = 0) const {
    return t + params.wide_buffer_latency + extra + params.write_latency + params.wide_buffer_latency;
  }

  /// Guest addresses of lanes at `first`, `first + stride`, ...
  std::vector<std::uint32_t> addresses(std::uint32_t first, std::uint32_t stride, unsigned lanes = 8) const {
    std::vector<std::uint32_t> list;
    for (unsigned lane = 0; lane < lanes; ++lane)
      list.push_back(static_cast<std::uint32_t>(params.base) + first + lane * stride);
    return list;
  }
  /// Plans a full-warp load (or store) of core `i` sent in cycle `t`.
  WarpPayload& load(unsigned i, Cycle t, std::uint32_t first, std::uint32_t stride, unsigned lanes = 8) {
    return access(tlm::TLM_READ_COMMAND, i, t, first, stride, lanes);
  }
  WarpPayload& store(unsigned i, Cycle t, std::uint32_t first, std::uint32_t stride, unsigned lanes = 8) {
    return access(tlm::TLM_WRITE_COMMAND, i, t, first, stride, lanes);
  }
  LinePayload& row(tlm::tlm_command command, unsigned port, Cycle t, std::uint64_t offset,
                   unsigned bytes = 32) {
    LinePayload& payload = wide[port]->line(command, offset, bytes);
    wide[port]->at(t, payload);
    return payload;
  }

  std::uint32_t word(std::uint32_t offset) const {
    std::uint32_t value = 0;
    std::memcpy(&value, dut.data() + offset, sizeof value);
    return value;
  }
  void set_word(std::uint32_t offset, std::uint32_t value) {
    std::memcpy(dut.data() + offset, &value, sizeof value);
  }
  std::uint64_t stat(const std::string& name) {
    for (const auto& entry : dut.stats().counters())
      if (entry.name == name) return entry.counter.value();
    throw std::logic_error("no statistic " + name);
  }

  SharedMemoryParams params;
  Bench& bench;
  std::unique_ptr<SharedMemoryBlock> block;
  SharedMemoryBlock& dut;
  std::vector<std::unique_ptr<TrafficAgent>> wide;
  std::vector<std::unique_ptr<WarpTrafficAgent>> core;

 private:
  template <class Agent, class Socket>
  void attach(std::vector<std::unique_ptr<Agent>>& agents, const char* name, std::size_t i, Socket& socket) {
    agents.push_back(std::make_unique<Agent>((name + std::to_string(i)).c_str(), bench.clock));
    agents.back()->socket.bind(socket);
    bench.add(*agents.back());
  }
  WarpPayload& access(tlm::tlm_command command, unsigned i, Cycle t, std::uint32_t first,
                      std::uint32_t stride, unsigned lanes) {
    WarpPayload& payload = core[i]->warp(command, (1u << lanes) - 1, addresses(first, stride, lanes));
    for (unsigned lane = 0; lane < lanes; ++lane) payload.access.data[lane] = 0x1000 * (i + 1) + lane;
    core[i]->at(t, payload);
    return payload;
  }
};

}  // namespace spica::testbench
