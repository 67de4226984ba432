// SPDX-License-Identifier: Apache-2.0
// The port beside modules of others: an interrupt line, a reset line, processors with a quantum.

#include "testbenches/block/host_port/host_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr double kPeriod = 2.5;
sc_time cycles(double n) { return {kPeriod * n, SC_NS}; }
sc_time cycles(Cycle n) { return cycles(static_cast<double>(n)); }
sc_time cycles(int n) { return cycles(static_cast<double>(n)); }

/// Does what `script` says, through b_transport.
struct Driver final : sc_core::sc_module {
  Driver(const sc_core::sc_module_name& name, std::function<void(Driver&)> what)
      : sc_module(name), script(std::move(what)) {
    SC_HAS_PROCESS(Driver);
    SC_THREAD(run);
  }
  void run() { script(*this); }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value) {
    Payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_time delay;
    out->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  void write(std::uint64_t address, std::uint32_t value) {
    REQUIRE(access(tlm::TLM_WRITE_COMMAND, address, value) == tlm::TLM_OK_RESPONSE);
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    REQUIRE(access(tlm::TLM_READ_COMMAND, address, value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  tlm_utils::simple_initiator_socket<Driver> out{"out"};
  std::function<void(Driver&)> script;
  bool ended = false;
};

/// A line that is high for a while.
struct Switch final : sc_core::sc_module {
  Switch(const sc_core::sc_module_name& name, sc_core::sc_signal<bool>& line, sc_time from, sc_time to)
      : sc_module(name), line_(line), from_(from), to_(to) {
    SC_HAS_PROCESS(Switch);
    SC_THREAD(run);
  }
  void run() {
    wait(from_);
    line_.write(true);
    wait(to_ - from_);
    line_.write(false);
  }

 private:
  sc_core::sc_signal<bool>& line_;
  const sc_time from_, to_;
};

struct Lines : HostBench {
  Lines() {
    dut.done.bind(done);
    dut.reset_line.bind(reset);
  }
  sc_core::sc_signal<bool> done{"done"}, reset{"reset"};
};

}  // namespace

TEST_CASE("done rises in the cycle of the end and falls when it is cleared") {
  Lines f;
  f.machine.end = 100;
  sc_time rose, fell;
  Driver driver("driver", [&](Driver& host) {
    host.write(f.reg(HOST_PORT_INTERRUPT_ENABLE), 1);
    host.write(f.reg(HOST_PORT_LAUNCH), 1);
    sc_core::wait(f.done.posedge_event());
    rose = sc_core::sc_time_stamp();
    CHECK(host.read(f.reg(HOST_PORT_STATUS)) == HOST_PORT_STATUS_DONE);
    CHECK(f.done.read());
    host.write(f.reg(HOST_PORT_INTERRUPT_PENDING), 1);
    if (f.done.read()) sc_core::wait(f.done.negedge_event());
    fell = sc_core::sc_time_stamp();
    host.ended = true;
  });
  driver.out.bind(f.dut.in);
  f.bench.run_for(1000);
  CHECK(driver.ended);
  CHECK(rose == cycles(100));
  // Two accesses later. What is sent on an answer, or on the line, in a cycle counts for the next one.
  CHECK(fell == cycles(100 + 2 * (1 + f.params.latency)));
}

TEST_CASE("without INTERRUPT_ENABLE the line stays low") {
  Lines f;
  f.machine.end = 100;
  Driver driver("driver", [&](Driver& host) {
    host.write(f.reg(HOST_PORT_LAUNCH), 1);
    sc_core::wait(cycles(200));
    CHECK(host.read(f.reg(HOST_PORT_INTERRUPT_PENDING)) == 1);
    host.ended = true;
  });
  driver.out.bind(f.dut.in);
  f.bench.run_for(1000);
  CHECK(driver.ended);
  CHECK_FALSE(f.done.read());
}

TEST_CASE("the reset line drops what is under way, clears the interrupt, and refuses until it falls") {
  Lines f;
  f.machine.end = 100;
  tlm::tlm_response_status cut = tlm::TLM_OK_RESPONSE, refused = cut, good = cut;
  sc_time cut_at;
  Driver driver("driver", [&](Driver& host) {
    host.write(f.reg(HOST_PORT_INTERRUPT_ENABLE), 1);
    host.write(f.reg(HOST_PORT_LAUNCH), 1);
    sc_core::wait(f.done.posedge_event());
    sc_core::wait(cycles(200) - sc_core::sc_time_stamp());
    std::uint32_t value = 0;
    cut = host.access(tlm::TLM_READ_COMMAND, kMemory, value);  // 21 cycles, of which 10 pass
    cut_at = sc_core::sc_time_stamp();
    CHECK_FALSE(f.done.read());
    refused = host.access(tlm::TLM_READ_COMMAND, f.reg(HOST_PORT_STATUS), value);
    sc_core::wait(cycles(300) - sc_core::sc_time_stamp());
    good = host.access(tlm::TLM_READ_COMMAND, f.reg(HOST_PORT_STATUS), value);
    CHECK(value == 0);
    CHECK(host.read(f.reg(HOST_PORT_INTERRUPT_ENABLE)) == 0);
    host.ended = true;
  });
  Switch breaker("breaker", f.reset, cycles(210), cycles(250));
  driver.out.bind(f.dut.in);
  f.bench.run_for(1000);
  CHECK(driver.ended);
  CHECK(cut == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(cut_at == cycles(210));
  CHECK(refused == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(good == tlm::TLM_OK_RESPONSE);
  CHECK(f.machine.resets == 1);
}

TEST_CASE("a processor with a quantum sees right values and right times") {
  HostBench f;
  // Ten cycles of its own, a write, and a read, which is sent on the answer of the write: that cycle is over.
  stranger::Processor processor("processor", kMemory + 256, cycles(10), 5);
  processor.out.bind(f.dut.in);
  f.bench.run_for(2000);
  CHECK(processor.errors == 0);
  CHECK(processor.read == std::vector<std::uint32_t>{100, 101, 102, 103, 104});
  CHECK(processor.ended == cycles(5 * (10 + 2 * (f.params.latency + kLatency[0]) + 1)));
}

TEST_CASE("nb_transport with annotated delays has the times of its cycles") {
  HostBench f;
  stranger::Reader reader(
      "reader", {{cycles(10), cycles(0.5), {}, {}, kMemory}, {cycles(50), {}, {}, {}, kMemory}}, cycles(2));
  reader.out.bind(f.dut.in);
  f.bench.run_for(1000);
  const Cycle access = f.params.latency + kLatency[0];
  CHECK(reader.requests[0].answered == cycles(11 + access));  // the cycle that begins next
  CHECK(reader.requests[1].answered == cycles(50 + access));
  CHECK(reader.status == tlm::TLM_OK_RESPONSE);
}
