// SPDX-License-Identifier: Apache-2.0
// The loops of the fast mode with warps of any number of lanes, against its step for every instruction and against the
// cycle mode.

#include <algorithm>
#include <memory>
#include <string>

#include "platform/machine/soc/fast_soc.h"
#include "platform/machine/soc/soc.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/soc/random_warp_program.h"

using namespace spica;
using soc::test::RandomWarpProgram;

namespace {

constexpr unsigned kLaneCounts[] = {1, 2, 3, 4, 8, 12, 16, 24, 32};

struct Platform final : sc_core::sc_module, protocol::FaultIf, protocol::ConsoleIf {
  explicit Platform(const char* name) : sc_module(sc_core::sc_module_name(name)) {}
  void report(const protocol::GuestFault& fault) override { faults.push_back(fault.detail); }
  void put(const protocol::Origin&, unsigned, const char*, unsigned) override {}
  std::vector<std::string> faults;
};

/// A tool that looks on, so that the machine takes each instruction by itself.
struct Watch final : protocol::ProbeIf {
  std::uint64_t issued = 0;
  void on_issue(const protocol::InstructionEvent&) override { ++issued; }
};

soc::SocParams params_of(unsigned lanes) {
  soc::SocParams params;
  params.cluster.cores = 1;
  params.cluster.core.lanes = lanes;
  params.cluster.core.sfu_lanes = std::min<std::uint64_t>(lanes, 4);
  params.cluster.tensor_core.present = false;
  params.run.quantum = 50;
  // Programs read what other lanes have written just before, without a fence.
  params.cluster.core.load_store.lanes = simt_core::Lanes::kLockstep;
  return params;
}

/// The three machines of one number of lanes.
struct Machines {
  explicit Machines(unsigned lane_count)
      : lanes(lane_count),
        platform(("platform_" + std::to_string(lanes)).c_str()),
        loops(("loops_" + std::to_string(lanes)).c_str(), params_of(lanes)),
        steps(("steps_" + std::to_string(lanes)).c_str(), params_of(lanes)),
        cycle(("cycle_" + std::to_string(lanes)).c_str(), params_of(lanes)) {
    const auto bind = [this](auto& machine) {
      machine.fault.bind(platform);
      machine.console.bind(platform);
    };
    bind(loops), bind(steps), bind(cycle);
    steps.watch(watch);
  }

  void load(const RandomWarpProgram& program) {
    for (soc::Machine* machine : {static_cast<soc::Machine*>(&loops), static_cast<soc::Machine*>(&steps),
                                  static_cast<soc::Machine*>(&cycle)}) {
      const auto write = [&](std::uint64_t to, const std::uint32_t* words, std::size_t count) {
        REQUIRE(machine->write(to, reinterpret_cast<const unsigned char*>(words), 4 * count));
      };
      write(RandomWarpProgram::kEntry, program.code().data(), program.code().size());
      write(RandomWarpProgram::kPool, program.pool().data(), program.pool().size());
      const std::uint32_t* const data = program.pool().data() + 64 * isa::kMaxLanes;
      write(RandomWarpProgram::kData, data, RandomWarpProgram::kDataBytes / 4);
      write(RandomWarpProgram::kShared, data, RandomWarpProgram::kDataBytes / 4);
    }
  }

  const unsigned lanes;
  Platform platform;
  soc::FastSoc loops, steps;
  soc::Soc cycle;
  Watch watch;
};

void compare_registers(soc::Machine& a, soc::Machine& b) {
  const soc::WarpView x = a.warp_view(0, 0), y = b.warp_view(0, 0);
  REQUIRE(x.flow->mask() == y.flow->mask());
  REQUIRE(x.floating->fflags == y.floating->fflags);
  REQUIRE(x.floating->frm == y.floating->frm);
  for (unsigned row = 0; row < isa::kRegisterRows; ++row) {
    INFO("row " << row);
    REQUIRE(std::equal(x.registers->row(row), x.registers->row(row) + x.registers->stride(),
                       y.registers->row(row)));
  }
}

void compare_memory(soc::Machine& a, soc::Machine& b, std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> x(bytes), y(bytes);
  REQUIRE(a.read(address, x.data(), bytes));
  REQUIRE(b.read(address, y.data(), bytes));
  const auto different =
      static_cast<std::uint64_t>(std::mismatch(x.begin(), x.end(), y.begin()).first - x.begin());
  INFO("address 0x" << std::hex << address + different);
  REQUIRE(different == bytes);
}

void launch(Machines& m, const RandomWarpProgram& program) {
  m.load(program);
  m.loops.launch(RandomWarpProgram::kEntry);
  m.steps.launch(RandomWarpProgram::kEntry);
  m.cycle.launch(RandomWarpProgram::kEntry);
}

bool runs(Machines& m) {
  return m.loops.any_warp_running() || m.steps.any_warp_running() || m.cycle.any_warp_running();
}

/// Both have stopped at the same jump.
void compare_loops_with_steps(Machines& m) {
  REQUIRE(m.platform.faults == std::vector<std::string>{});
  REQUIRE(m.loops.now() == m.steps.now());
  REQUIRE(m.loops.warp_instructions() == m.steps.warp_instructions());
  REQUIRE(m.loops.lane_instructions() == m.steps.lane_instructions());
  REQUIRE(m.loops.warp_view(0, 0).pc == m.steps.warp_view(0, 0).pc);
  compare_registers(m.loops, m.steps);
}

void compare_results(Machines& m, const RandomWarpProgram& program) {
  REQUIRE(m.loops.warp_instructions() == m.cycle.warp_instructions());
  REQUIRE(m.loops.lane_instructions() == m.cycle.lane_instructions());
  for (soc::Machine* other : {static_cast<soc::Machine*>(&m.steps), static_cast<soc::Machine*>(&m.cycle)}) {
    INFO((other == &m.cycle ? "cycle mode" : "step by step"));
    compare_memory(m.loops, *other, RandomWarpProgram::kLog, program.log_bytes());
    compare_registers(m.loops, *other);
    compare_memory(m.loops, *other, RandomWarpProgram::kData, RandomWarpProgram::kDataBytes);
    compare_memory(m.loops, *other, RandomWarpProgram::kShared, RandomWarpProgram::kDataBytes);
  }
}

}  // namespace

TEST_CASE(
    "random programs do the same in loops, step by step and in the cycle mode, with any number of lanes") {
  std::vector<std::unique_ptr<Machines>> machines;
  for (const unsigned lanes : kLaneCounts) machines.push_back(std::make_unique<Machines>(lanes));
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const RandomWarpProgram program(seed, 12);
    for (const auto& m : machines) launch(*m, program);
    unsigned stops = 0;
    for (bool running = true; running; ++stops) {
      REQUIRE(stops < 100'000);
      sc_core::sc_start(100, sc_core::SC_NS);
      running = false;
      for (const auto& m : machines) {
        INFO("seed " << seed << ", " << m->lanes << " lanes");
        compare_loops_with_steps(*m);
        running |= runs(*m);
      }
    }
    CHECK(stops > 50);
    sc_core::sc_start(10, sc_core::SC_US);  // the last stores arrive
    for (const auto& m : machines) {
      INFO("seed " << seed << ", " << m->lanes << " lanes");
      compare_results(*m, program);
    }
  }
  // The programs part their lanes, and all of them are at work at times.
  for (const auto& m : machines) {
    const double active =
        static_cast<double>(m->loops.lane_instructions()) / static_cast<double>(m->loops.warp_instructions());
    INFO(m->lanes << " lanes, " << active << " of them active");
    CHECK(active > 0.6 * m->lanes);
    CHECK((m->lanes == 1 || active < m->lanes));
    CHECK(m->watch.issued == m->steps.warp_instructions());
  }
}
