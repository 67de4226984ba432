// SPDX-License-Identifier: Apache-2.0
// A cache between a memory of fixed latency and an agent at each port.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "models/cache/cache.h"
#include "testbenches/support/bench.h"

namespace spica::testbench {

struct CacheBench {
  static constexpr base::Cycle kLatency = 20;  // of the memory

  Bench bench;
  cache::Params params;
  MemoryStub memory;
  cache::Cache dut;
  std::vector<std::unique_ptr<TrafficAgent>> agents;  // by port

  explicit CacheBench(const cache::Params& p, std::size_t capacity = 64)
      : params(p), memory("memory", bench.clock, kLatency, capacity), dut("dut", p, bench.clock) {
    dut.out.bind(memory.socket);
    bench.add(memory);
    bench.add(dut);
    for (unsigned i = 0; i < p.ports; ++i) {
      agents.push_back(std::make_unique<TrafficAgent>(("agent_" + std::to_string(i)).c_str(), bench.clock));
      agents[i]->socket.bind(dut.in[i]);
      bench.add(*agents[i]);
    }
  }
  /// From sending to the answer.
  base::Cycle hit() const { return 1 + params.hit_latency; }
  /// One cycle to the bank, the way to memory and back, fill, one cycle of distance, replay.
  base::Cycle miss() const { return 1 + params.miss_latency + kLatency + 2 + params.hit_latency; }
};

}  // namespace spica::testbench
