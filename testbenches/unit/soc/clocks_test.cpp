// SPDX-License-Identifier: Apache-2.0
// Machines whose blocks have clocks of different frequency.
#include <tlm_utils/simple_target_socket.h>

#include "models/main_memory/main_memory.h"
#include "platform/machine/soc/block.h"
#include "platform/machine/soc/soc.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench::rv;

namespace {

constexpr std::uint32_t kFirst = 0x8000'0000;

/// Counts the cycles of its clock, and stops when the simulation would go on for it alone.
struct Ticker final : base::Component {
  Ticker(const sc_core::sc_module_name& name, const base::ClockDomain& clock) : Component(name, clock) {}
  void start_of_simulation() override { wake_at(0); }
  void tick() override {
    ++ticks;
    if (ticks < 10'000) wake_next();
  }
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return none_; }
  void dump_state(std::ostream&) const override {}

  tlm_utils::simple_target_socket<Ticker> in{"in"};
  std::uint64_t ticks = 0;

 private:
  base::StatGroup none_;
};
SPICA_BLOCK(Ticker, "test_ticker", "counts cycles")

struct Clocked final : sc_core::sc_module, protocol::FaultIf, protocol::ConsoleIf {
  Clocked(const sc_core::sc_module_name& name, const soc::SocParams& params,
          const std::vector<std::uint32_t>& program)
      : sc_module(name), soc("soc", params) {
    soc.fault.bind(*this);
    soc.console.bind(*this);
    soc.write(kFirst, reinterpret_cast<const unsigned char*>(program.data()), program.size() * 4);
    soc.launch(kFirst);
  }
  void report(const protocol::GuestFault& fault) override { FAIL(fault.detail); }
  void put(const protocol::Origin&, unsigned, const char*, unsigned) override {}
  base::ClockDomain& clock_of(const std::string& block) {
    return *soc.blocks().find<base::Component>(block)->domain();
  }

  soc::Soc soc;
};

soc::SocParams with_one_core() {
  soc::SocParams params;
  params.cluster.cores = 1;
  return params;
}

/// Turns for ever, from the instruction cache.
const std::vector<std::uint32_t> kTurns = {beq(0, 0, 0)};
/// A load from memory, and the cycle in which its data are there.
const std::vector<std::uint32_t> kLoad = {lui(4, 0x80010), lw(5, 4, 0), add(6, 5, 5), csrrs(7, 0xC00, 0),
                                          tmc(0)};

/// Machines that load, all in one simulation.
struct Loading {
  Clocked& add(const soc::SocParams& params) {
    const std::string name = "machine_" + std::to_string(machines.size());
    return *machines.emplace_back(std::make_unique<Clocked>(name.c_str(), params, kLoad));
  }
  void run() {
    sc_core::sc_start(100, sc_core::SC_US);
    for (const auto& machine : machines) {
      CHECK(machine->soc.finished());
      CHECK_NOTHROW(machine->soc.settle());  // each account has each cycle of its own clock
    }
  }
  std::vector<std::unique_ptr<Clocked>> machines;
};

/// Nanoseconds from the start to the data.
double time_of(Clocked& machine) {
  return machine.soc.warp_view(0, 0).registers->row(7)[0] * machine.soc.clock().period().to_seconds() * 1e9;
}

}  // namespace

TEST_CASE("blocks of one frequency are in one clock domain, whichever key says so") {
  soc::SocParams params = with_one_core();
  params.clock_mhz = 500;
  params.bus.clock_mhz = 500;
  params.main_memory.clock_mhz = 800;
  Clocked machine("machine", params, kTurns);
  CHECK(&machine.clock_of("bus") == &machine.soc.clock());
  CHECK(&machine.clock_of("l2") == &machine.soc.clock());
  CHECK(&machine.clock_of("cluster_0.core_0") == &machine.soc.clock());
  CHECK(&machine.clock_of("main_memory") != &machine.soc.clock());
  CHECK(machine.clock_of("main_memory").period() == sc_core::sc_time(1250, sc_core::SC_PS));
}

TEST_CASE("the clusters' clock counts the cycles of the machine") {
  soc::SocParams params = with_one_core();
  params.cluster.clock_mhz = 1000;
  Clocked machine("machine", params, kTurns);
  machine.soc.clock().run_until(5000);
  CHECK(machine.soc.now() == 5000);
  CHECK(sc_core::sc_time_stamp() == sc_core::sc_time(5, sc_core::SC_US));
  machine.soc.settle();
  CHECK(machine.clock_of("bus").now() == 2000);
}

TEST_CASE("a memory that nothing asks for executes no cycle") {
  soc::SocParams params = with_one_core();
  params.main_memory.clock_mhz = 800;
  Clocked machine("machine", params, kTurns);
  machine.soc.clock().run_until(2000);  // the instruction has been fetched
  const base::Cycle executed = machine.clock_of("main_memory").executed();
  machine.soc.clock().run_until(50'000);
  CHECK(machine.clock_of("main_memory").executed() == executed);
  CHECK(executed < 1000);
}

TEST_CASE("what memory takes in nanoseconds stays when the clock of the cores changes") {
  Loading loading;
  soc::SocParams params = with_one_core();
  params.main_memory.back_end = main_memory::BackEndKind::kFixed;
  params.main_memory.fixed.latency_ns = 1000;
  Clocked& at_400 = loading.add(params);
  params.cluster.clock_mhz = 1600;
  Clocked& at_1600 = loading.add(params);
  params.cluster.clock_mhz = 0;
  params.main_memory.fixed.latency_ns = 3000;
  Clocked& slow = loading.add(params);
  loading.run();
  // The program and the data: two accesses of memory, one behind the other.
  CHECK(time_of(slow) - time_of(at_400) == Approx(4000).margin(5));
  CHECK(time_of(at_1600) < time_of(at_400));
  CHECK(time_of(at_1600) > 2000);
}

TEST_CASE("each crossing adds its cycles of the receiver's clock") {
  Loading loading;
  soc::SocParams params = with_one_core();
  params.main_memory.clock_mhz = 200;
  params.crossing.cycles = 0;
  Clocked& none = loading.add(params);
  params.crossing.cycles = 8;
  Clocked& eight = loading.add(params);
  loading.run();
  // Two accesses of memory: there in cycles of 5 ns, back in cycles of 2.5 ns.
  CHECK(time_of(eight) - time_of(none) == Approx(2 * 8 * (5 + 2.5)).margin(10));
}

TEST_CASE("a block of one's own can have a clock of its own") {
  soc::SocParams params = with_one_core();
  soc::SlotParams slot;
  slot.name = "ticker";
  slot.kind = slot.params_of = "test_ticker";
  slot.params = soc::params_of_kind("test_ticker");
  slot.registers = {0xFF10'0000, 256, "in"};
  slot.clock_mhz = 100;
  params.slots = {slot};
  Clocked machine("machine", params, kTurns);
  machine.soc.clock().run_until(4000);
  auto* const ticker = machine.soc.blocks().find<Ticker>("cluster_0.ticker");
  CHECK(ticker->domain()->period() == sc_core::sc_time(10, sc_core::SC_NS));
  CHECK(ticker->ticks == 1000);
}
