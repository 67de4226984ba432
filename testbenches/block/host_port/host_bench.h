// SPDX-License-Identifier: Apache-2.0
// A host port with stand-ins behind it: memories with a fixed latency, and a machine that ends when it is told to.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "models/host_port/host_port.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/strangers.h"

namespace spica::testbench {

constexpr std::uint64_t kMemory = 0x8000'0000, kMemoryBytes = 0x1000'0000, kWindow = 0xFF00'0000;
constexpr Cycle kLatency[] = {20, 5, 7};  // global memory, shared memory, peripherals

struct StandIn final : protocol::HostedIf {
  void launch(std::uint32_t entry) override { entries.push_back(entry); }
  void reset() override {
    ++resets;
    for (base::Component* block : blocks) block->reset();
  }
  void halt() override { ++halts; }
  base::Cycle ended() const override { return clock->now() >= end ? end : base::kNever; }
  base::Cycle look_again() const override { return clock->now() + 1; }
  std::uint32_t exit_code() const override { return 77; }

  const base::ClockDomain* clock = nullptr;
  std::vector<base::Component*> blocks;
  Cycle end = base::kNever;  // of what is launched
  std::vector<std::uint32_t> entries;
  unsigned resets = 0, halts = 0;
};

inline protocol::AddressMap guest_map() {
  using protocol::Route;
  protocol::AddressMap map;
  map.add({"shared_memory", kWindow, 0x10000, Route::kShared, 0});
  map.add({"print_buffer", kWindow + 0x10000, 0x800, Route::kPeripheral, 0});
  map.add({"window", kWindow, 0x20000, Route::kUnmapped, 0});
  map.add({"global_memory", kMemory, kMemoryBytes, Route::kGlobal, 0});
  return map;
}

inline host_port::HostPortParams host_params() {
  host_port::HostPortParams params;
  params.present = true;
  params.clusters = 2;
  return params;
}

/// Without a host: `host` binds one.
struct HostBench {
  explicit HostBench(const host_port::HostPortParams& p = host_params())
      : params(p), dut("dut", p, bench.clock, guest_map()) {
    machine.clock = &bench.clock;
    dut.gmem.bind(global.socket);
    for (unsigned i = 0; i < 2; ++i) {
      shared.push_back(
          std::make_unique<MemoryStub>(sc_core::sc_gen_unique_name("shared"), bench.clock, kLatency[1], 4));
      peripherals.push_back(std::make_unique<MemoryStub>(sc_core::sc_gen_unique_name("peripherals"),
                                                         bench.clock, kLatency[2], 4));
      dut.smem[i].bind(shared[i]->socket);
      dut.mmio[i].bind(peripherals[i]->socket);
      machine.blocks.insert(machine.blocks.end(), {shared[i].get(), peripherals[i].get()});
      bench.add(*shared[i]);
      bench.add(*peripherals[i]);
    }
    dut.machine.bind(machine);
    dut.fault.bind(faults);
    machine.blocks.push_back(&global);
    bench.add(global);
    bench.add(dut);
  }
  std::uint64_t reg(unsigned offset) const { return params.registers_base + offset; }
  std::uint64_t window(unsigned cluster, std::uint64_t offset) const {
    return params.windows_base + cluster * params.window_stride + offset;
  }

  Bench bench;
  host_port::HostPortParams params;
  StandIn machine;
  FaultSink faults{"faults"};
  MemoryStub global{"global", bench.clock, kLatency[0], 16};
  std::vector<std::unique_ptr<MemoryStub>> shared, peripherals;
  host_port::HostPort dut;
};

}  // namespace spica::testbench
