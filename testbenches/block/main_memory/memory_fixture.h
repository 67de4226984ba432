// SPDX-License-Identifier: Apache-2.0
// A memory, its clock, and an agent that sends requests.
#pragma once

#include <sstream>
#include <string>

#include "models/main_memory/main_memory.h"
#include "testbenches/support/accounts.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

namespace spica::testbench {

inline constexpr std::uint64_t kBase = 0x80000000;

struct MemoryFixture {
  Bench bench;
  main_memory::Params params;
  main_memory::MainMemory dut;
  TrafficAgent agent;

  explicit MemoryFixture(const main_memory::Params& p = quiet(),
                         const main_memory::BackEndFactory& back_end = main_memory::make_back_end)
      : params(p), dut("dut", p, bench.clock, back_end), agent("agent", bench.clock) {
    agent.socket.bind(dut.in);
    bench.add(dut);
    bench.add(agent);
  }
  static main_memory::Params quiet() {
    main_memory::Params p;
    p.dram.refresh_ns = 0;
    return p;
  }
  protocol::LinePayload& read(std::uint64_t address, unsigned bytes = 64) {
    return agent.line(tlm::TLM_READ_COMMAND, address, bytes);
  }
  /// Resets memory and agent while requests are under way; what the memory says of itself before.
  std::string reset_in_flight() {
    CHECK_FALSE(dut.idle());
    std::ostringstream state;
    dut.dump_state(state);
    dut.reset();
    agent.reset();
    CHECK(dut.idle());
    return state.str();
  }
  /// Cycles of a reason of a channel so far.
  std::uint64_t charged(const char* reason, std::size_t channel = 0) {
    dut.settle_stats();
    CHECK(accounts_add_up(dut.stats(), dut.now()));
    return testbench::charged(dut.stats(), "channels", reason, channel);
  }
  Cycle time() const { return static_cast<Cycle>(sc_core::sc_time_stamp() / bench.clock.period()); }
  /// Answer of a read of 64 bytes sent at `sent` whose data comes `clocks` DRAM clocks after it was
  /// taken.
  Cycle answer(Cycle sent, std::uint64_t clocks) const {
    const std::uint64_t taken = (sent + params.request_latency) * 2500;
    const Cycle data = (taken + clocks * params.dram.clock_ps + 2499) / 2500;
    return data + 64 / params.port_bytes_per_cycle - 1 + params.response_latency;
  }
};

}  // namespace spica::testbench
