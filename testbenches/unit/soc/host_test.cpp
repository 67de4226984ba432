// SPDX-License-Identifier: Apache-2.0
// Whole machines with a host in the same simulation, in both modes.
#include "testbenches/unit/soc/host_system.h"

#include <algorithm>

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;

namespace {

/// Launch, end, launch again, reset, launch.
template <class Machine>
void runs_reset_and_run_again() {
  System<Machine> system([](auto& s, Processor& cpu) {
    CHECK(cpu.reg(HOST_PORT_ID) == HOST_PORT_ID_VALUE);
    CHECK(cpu.reg(HOST_PORT_CORES) == 4);
    cpu.load(counts(10));
    const std::uint32_t first = s.launch(cpu);
    CHECK(cpu.reg(HOST_PORT_STATUS) == HOST_PORT_STATUS_DONE);
    CHECK(cpu.reg(HOST_PORT_EXIT_CODE) == 5);
    const std::uint32_t global = cpu.read(kWord);
    const std::uint32_t here = s.shared(cpu, 0), there = s.shared(cpu, 1);
    CHECK(global >= 10);  // all cores count; some of it is lost between a load and its store
    CHECK(here >= 10);
    CHECK(there >= 10);
    CHECK(s.launch(cpu) > 0);
    CHECK(s.shared(cpu, 1) >= there + 10);  // nothing was reset
    cpu.set(HOST_PORT_RESET, 1);
    CHECK(cpu.reg(HOST_PORT_STATUS) == 0);
    CHECK(s.shared(cpu, 1) == 0);
    CHECK(cpu.peek(kWord) >= global + 10);  // memory is kept
    cpu.load(counts(10));
    const std::uint32_t last = s.launch(cpu);
    CHECK(s.shared(cpu, 1) == there);
    CHECK(last == first);
  });
  system.run();
}

}  // namespace

TEST_CASE(
    "cycle mode: a host launches, waits for the interrupt, resets and launches again, in the same time") {
  runs_reset_and_run_again<soc::Soc>();
}

TEST_CASE(
    "fast mode: a host launches, waits for the interrupt, resets and launches again, in the same time") {
  runs_reset_and_run_again<soc::FastSoc>();
}

namespace {

template <class Machine>
void resets_in_the_middle(bool by_line) {
  System<Machine> system([by_line](auto& s, Processor& cpu) {
    cpu.load(counts(1000));
    for (int i = 0; i < 40; ++i) {
      cpu.set(HOST_PORT_LAUNCH, 1);
      sc_core::wait(17 * i + 1, sc_core::SC_NS);
      if (by_line) {
        s.reset.write(true);
        sc_core::wait(10, sc_core::SC_NS);
        s.reset.write(false);
        sc_core::wait(10, sc_core::SC_NS);
        CHECK(cpu.reg(HOST_PORT_ENTRY) == 0);
        cpu.set(HOST_PORT_ENTRY, kCode);
      } else {
        cpu.set(HOST_PORT_RESET, 1);
      }
      CHECK(cpu.reg(HOST_PORT_STATUS) == 0);
    }
    sc_core::wait(1, sc_core::SC_US);
    CHECK(cpu.reg(HOST_PORT_STATUS) == 0);
    const std::uint32_t before = cpu.read(kWord);
    sc_core::wait(1, sc_core::SC_US);
    CHECK(cpu.read(kWord) == before);  // nothing goes on
    cpu.load(counts(3));
    s.launch(cpu);
    CHECK(cpu.reg(HOST_PORT_STATUS) == HOST_PORT_STATUS_DONE);
    CHECK(s.shared(cpu, 0) >= 3);
    CHECK(s.shared(cpu, 0) <= 6);
  });
  system.run();
}

}  // namespace

TEST_CASE("cycle mode: a reset by register at any time drops all work") {
  resets_in_the_middle<soc::Soc>(false);
}
TEST_CASE("cycle mode: a reset by line at any time drops all work") { resets_in_the_middle<soc::Soc>(true); }
TEST_CASE("fast mode: a reset by register at any time drops all work") {
  resets_in_the_middle<soc::FastSoc>(false);
}
TEST_CASE("fast mode: a reset by line at any time drops all work") {
  resets_in_the_middle<soc::FastSoc>(true);
}

namespace {

template <class Machine>
void shows_a_fault() {
  System<Machine> system([](auto& s, Processor& cpu) {
    cpu.load(kWrong);
    s.launch(cpu);
    CHECK(s.owner.faults.size() == 1);
    CHECK(cpu.reg(HOST_PORT_STATUS) == HOST_PORT_STATUS_FAULTED);
    CHECK(cpu.reg(HOST_PORT_FAULT_KIND) == static_cast<unsigned>(protocol::FaultKind::kUnmappedAccess) + 1);
    CHECK(cpu.reg(HOST_PORT_FAULT_PC) == kCode + 12);
    CHECK(cpu.reg(HOST_PORT_FAULT_ADDRESS) == 0x1000'0010);
    CHECK(cpu.reg(HOST_PORT_FAULT_ORIGIN) == 0);
    sc_core::wait(2, sc_core::SC_US);
    CHECK(s.machine.work_in_flight().empty());
    CHECK(s.machine.clock().asleep());  // the other cores have stopped
    cpu.set(HOST_PORT_RESET, 1);
    cpu.load(counts(2));
    s.launch(cpu);
    CHECK(cpu.reg(HOST_PORT_STATUS) == HOST_PORT_STATUS_DONE);
    CHECK(s.owner.faults.size() == 1);
  });
  system.run();
}

}  // namespace

TEST_CASE("cycle mode: a fault of the guest stops all cores and is seen in STATUS") {
  shows_a_fault<soc::Soc>();
}
TEST_CASE("fast mode: a fault of the guest stops all cores and is seen in STATUS") {
  shows_a_fault<soc::FastSoc>();
}

TEST_CASE("a machine with a host takes as long as one without") {
  soc::SocParams params = hosted();
  params.host.present = false;
  Owner owner("alone");
  soc::Soc alone("alone_machine", params);
  alone.fault.bind(owner);
  alone.console.bind(owner);
  const std::vector<std::uint32_t> program = counts(20);
  alone.write(kCode, reinterpret_cast<const unsigned char*>(program.data()), 4 * program.size());
  alone.launch(kCode);
  System<soc::Soc> system([&alone](auto& s, Processor& cpu) {
    const std::vector<std::uint32_t> same = counts(20);
    s.machine.write(kCode, reinterpret_cast<const unsigned char*>(same.data()), 4 * same.size());
    cpu.set(HOST_PORT_ENTRY, kCode);
    // Launched in cycle 0, its cores start in cycle 1, as after a doorbell.
    const std::uint32_t took = s.launch(cpu);
    CHECK(took == alone.now() - 1);
  });
  system.run();
}

TEST_CASE("the period of the clock is the integrator's, if he gives one") {
  System<soc::Soc> system(
      [](auto& s, Processor& cpu) {
        CHECK(s.machine.params().clock_mhz == Approx(1000.0 / 3));
        sc_core::wait(sc_time(300, sc_core::SC_NS) - sc_core::sc_time_stamp());
        cpu.reg(HOST_PORT_ID);
        CHECK(sc_core::sc_time_stamp() == sc_time(303, sc_core::SC_NS));
      },
      hosted(), sc_time(3, sc_core::SC_NS));
  CHECK(system.machine.clock().period() == sc_time(3, sc_core::SC_NS));
  system.run();
}

TEST_CASE("direct memory access covers global memory but for what cores see in its place") {
  System<soc::Soc> system([](auto& s, Processor& cpu) {
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    payload.set_address(kWord);
    REQUIRE(cpu.out->get_direct_mem_ptr(payload, dmi));
    CHECK(dmi.is_read_write_allowed());
    CHECK(dmi.get_start_address() == 0x8000'0000);
    CHECK(dmi.get_end_address() == 0xFEFF'FFFF);
    const std::vector<std::uint32_t> program = counts(4);
    std::memcpy(dmi.get_dmi_ptr() + (kCode - dmi.get_start_address()), program.data(), 4 * program.size());
    cpu.set(HOST_PORT_ENTRY, kCode);
    s.launch(cpu);
    std::uint32_t count = 0;
    std::memcpy(&count, dmi.get_dmi_ptr() + (kWord - dmi.get_start_address()), 4);
    CHECK(count == cpu.read(kWord));
    CHECK(count >= 4);
    payload.set_address(0x2000'0000);
    CHECK_FALSE(cpu.out->get_direct_mem_ptr(payload, dmi));
    CHECK(dmi.get_start_address() == 0x2000'0000);
    CHECK(dmi.get_end_address() == 0x2000'FFFF);
  });
  system.run();
}

TEST_CASE("a machine runs in a memory of somebody else") {
  struct Memory final : sc_core::sc_module {
    explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
      in.register_b_transport(this, &Memory::serve);
      in.register_transport_dbg(this, &Memory::move);
    }
    void serve(tlm::tlm_generic_payload& payload, sc_time& delay) {
      delay += sc_time(40, sc_core::SC_NS);
      move(payload);
      ++served;
    }
    unsigned move(tlm::tlm_generic_payload& payload) {
      const unsigned char* enables = payload.get_byte_enable_ptr();
      for (unsigned i = 0; i < payload.get_data_length(); ++i) {
        if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
        unsigned char& here = bytes[payload.get_address() - kCode + i];
        if (payload.is_write()) here = payload.get_data_ptr()[i];
        else payload.get_data_ptr()[i] = here;
      }
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      return payload.get_data_length();
    }
    tlm_utils::simple_target_socket<Memory> in{"in"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(0x20000);
    unsigned served = 0;
  } memory("memory");
  soc::SocParams params = hosted();
  params.main_memory.external = true;
  System<soc::Soc> system(
      [&memory](auto& s, Processor& cpu) {
        cpu.load(counts(10));
        s.launch(cpu);
        CHECK(cpu.reg(HOST_PORT_EXIT_CODE) == 5);
        std::uint32_t count = 0;
        std::memcpy(&count, &memory.bytes[kWord - kCode], 4);
        CHECK(count >= 10);
        CHECK(cpu.read(kWord) == count);
        CHECK(memory.served > 0);
        // In the middle of a run, with requests at the memory.
        cpu.set(HOST_PORT_LAUNCH, 1);
        sc_core::wait(100, sc_core::SC_NS);
        cpu.set(HOST_PORT_RESET, 1);
        cpu.load(counts(1));
        s.launch(cpu);
        CHECK(cpu.reg(HOST_PORT_STATUS) == HOST_PORT_STATUS_DONE);
      },
      params);
  system.machine.memory().bind(memory.in);
  CHECK(system.machine.main_memory_bytes() == nullptr);
  system.run();
}

/// The largest step of a counter between two looks of a host, 100 ns (40 cycles) apart; a loop of seven instructions
/// counts.
unsigned largest_step(const sc_time& quantum) {
  soc::SocParams params = hosted();
  params.cluster.cores = params.clusters = 1;
  tlm::tlm_global_quantum::instance().set(quantum);
  unsigned largest = 0, last = 0;
  System<soc::FastSoc> system(
      [&](auto&, Processor& cpu) {
        cpu.load(counts(2000));
        cpu.set(HOST_PORT_LAUNCH, 1);
        for (last = 0; last < 2000;) {
          sc_core::wait(100, sc_core::SC_NS);
          const unsigned now = cpu.peek(kWord);
          largest = std::max(largest, now - last);
          last = now;
        }
      },
      params);
  system.run();
  return largest;
}

TEST_CASE("in fast mode a machine runs no further ahead than the global quantum") {
  CHECK(largest_step(sc_time(200, sc_core::SC_NS)) <= 40 / 7 + 80 / 8);
}

TEST_CASE("in fast mode without a global quantum a warp has its whole slice at once") {
  CHECK(largest_step(sc_core::SC_ZERO_TIME) > 100);
}
