// SPDX-License-Identifier: Apache-2.0
// A core with stubs around it: instruction memory, global and shared memory that answer warp requests,
// a peripheral, a barrier that releases at once.
#pragma once

#include <cstring>
#include <vector>

#include "models/isa/simt_stack.h"
#include "models/simt_core/simt_core.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/bench.h"

namespace spica::testbench {

/// Answers WarpPayload requests after a fixed latency; word storage; remembers what it saw.
class WarpMemoryStub final : public base::Component, private protocol::RequestHandler {
 public:
  WarpMemoryStub(const sc_core::sc_module_name& name, const base::ClockDomain& clock, Cycle delay)
      : Component(name, clock), latency(delay) {
    socket.attach(*this);
  }
  protocol::WarpTargetSocket socket{"socket"};
  const Cycle latency;
  std::unordered_map<std::uint32_t, std::uint32_t> words;
  std::size_t requests = 0;
  std::vector<Cycle> arrivals;
  unsigned timing_only = 0, lanes = 0;  // requests that move nothing; lanes of all

  void tick() override {
    while (!queue_.empty() && queue_.front().due <= now()) {
      Payload& payload = *queue_.front().payload;
      queue_.erase(queue_.begin());
      serve(payload);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      socket.respond(payload);
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
    ++requests;
    lanes += base::count_bits(static_cast<WarpPayload&>(payload).access.mask);
    timing_only += protocol::info_of(payload).timing_only;
    arrivals.push_back(now());
    queue_.push_back({&payload, now() + latency});
    wake_at(queue_.front().due);
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }
  void serve(Payload& payload) {
    if (protocol::info_of(payload).timing_only) return;
    auto& access = static_cast<WarpPayload&>(payload).access;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uint32_t address = access.address[lane];
      const unsigned shift = 8 * (address % 4);
      const std::uint32_t keep = access.bytes == 4 ? ~0u : ((1u << (8 * access.bytes)) - 1);
      std::uint32_t& word = words[address & ~3u];
      if (payload.is_write()) word = (word & ~(keep << shift)) | (access.data[lane] & keep) << shift;
      else access.data[lane] = word >> shift & keep;
    }
  }
  std::vector<Item> queue_;
  base::StatGroup stats_;
};

/// Releases a barrier as soon as its only core has arrived.
class BarrierStub final : public sc_core::sc_module, public protocol::BarrierIf {
 public:
  BarrierStub(const sc_core::sc_module_name& name, protocol::BarrierReleaseIf& core,
              const base::ClockDomain& clock)
      : sc_module(name), core_(core), clock_(clock) {}
  void arrive(unsigned, unsigned id) override {
    arrivals.push_back(id);
    cycles.push_back(clock_.now());
    if (release_at_once) core_.release(id, false);
  }
  bool release_at_once = true;
  std::vector<unsigned> arrivals;
  std::vector<Cycle> cycles;  // of the arrivals

 private:
  protocol::BarrierReleaseIf& core_;
  const base::ClockDomain& clock_;
};

struct CoreBench : Bench {
  static constexpr std::uint32_t kCode = 0x8000'0000;
  static constexpr std::uint32_t kShared = 0xFF00'0000;
  static constexpr std::uint32_t kPeripheral = 0xFF01'0000;
  static constexpr Cycle kFetchLatency = 5, kGlobalLatency = 20, kSharedLatency = 4;

  /// `add_core` false: the caller adds it to the clock, after its own neighbours.
  explicit CoreBench(const simt_core::Params& p = {}, bool add_core = true,
                     const isa::ControlFlowMaker& flow = isa::SimtStack::make,
                     Cycle global_latency = kGlobalLatency, simt_core::TensorUnitMaker unit = {})
      : params(p), control_flow(flow), tensor_unit(std::move(unit)), global("global", clock, global_latency) {
    core.icache.bind(instructions.socket);
    core.gmem.bind(global.socket);
    core.smem.bind(shared.socket);
    core.mmio.bind(peripheral.socket);
    core.barrier.bind(barrier);
    core.fault.bind(faults);
    for (base::Component* block :
         std::initializer_list<base::Component*>{&instructions, &global, &shared, &peripheral})
      add(*block);
    if (add_core) add(core);
  }

  /// Places a program at the entry, starts the core and runs until nothing is left to do.
  void run_program(const std::vector<std::uint32_t>& words, Cycle limit = 100'000) {
    for (std::size_t i = 0; i < words.size(); ++i) instructions.set_word(kCode + 4 * i, words[i]);
    core.launch(kCode);
    run(limit);
    core.settle_stats();
  }
  std::uint32_t x(unsigned reg, unsigned lane = 0, unsigned warp = 0) {
    return const_cast<isa::RegisterFile&>(core.warp(warp).registers).row(reg)[lane];
  }

  protocol::AddressMap map = [] {
    protocol::AddressMap m;
    m.add({"shared", kShared, 0x10000, protocol::Route::kShared, 0});
    m.add({"peripheral", kPeripheral, 0x100, protocol::Route::kPeripheral, 0});
    m.add({"hole", kShared, 0x20000, protocol::Route::kUnmapped, 0});
    m.add({"global", 0x8000'0000, 0x8000'0000, protocol::Route::kGlobal, 0});
    return m;
  }();
  simt_core::Params params;
  isa::ControlFlowMaker control_flow;
  simt_core::TensorUnitMaker tensor_unit;
  MemoryStub instructions{"instructions", clock, kFetchLatency, 16};
  WarpMemoryStub global;
  WarpMemoryStub shared{"shared", clock, kSharedLatency};
  MemoryStub peripheral{"peripheral", clock, 30, 4};
  simt_core::SimtCore core{"core", params, {0, 0, 1}, map, clock, tensor_unit, control_flow};
  BarrierStub barrier{"barrier", core, clock};
  FaultSink faults{"faults"};
};

}  // namespace spica::testbench
