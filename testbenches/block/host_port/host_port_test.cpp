// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "testbenches/block/host_port/host_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using base::kNever;
using host_port::HostPortParams;

namespace {

/// With a host of our own kind.
struct Fixture : HostBench {
  explicit Fixture(const HostPortParams& p = host_params()) : HostBench(p) {
    agent.socket.bind(dut.in);
    bench.add(agent);
  }
  LinePayload& read(Cycle t, std::uint64_t address, unsigned bytes = 4) {
    LinePayload& payload = agent.line(tlm::TLM_READ_COMMAND, address, bytes);
    agent.at(t, payload);
    return payload;
  }
  LinePayload& write(Cycle t, std::uint64_t address, std::uint32_t value) {
    LinePayload& payload = agent.line(tlm::TLM_WRITE_COMMAND, address, 4);
    std::memcpy(payload.data.data(), &value, 4);
    agent.at(t, payload);
    return payload;
  }
  TrafficAgent agent{"agent", bench.clock};
};

std::uint32_t word(const LinePayload& payload) {
  std::uint32_t value = 0;
  std::memcpy(&value, payload.data.data(), 4);
  return value;
}

}  // namespace

TEST_CASE("a register is answered after the latency of the port, not before") {
  HostPortParams params = host_params();
  params.latency = 6;
  Fixture f(params);
  const LinePayload& id = f.read(10, f.reg(HOST_PORT_ID));
  f.bench.run_for(10 + params.latency);
  CHECK(f.agent.done(id) == kNever);
  f.bench.run_for(1);
  CHECK(f.agent.done(id) == 10 + params.latency);
  CHECK(id.is_response_ok());
  CHECK(word(id) == HOST_PORT_ID_VALUE);
}

TEST_CASE("memory is answered after the latency of the port and its own, not before") {
  Fixture f;
  f.global.set_word(kMemory + 64, 0x12345678);
  const LinePayload& load = f.read(10, kMemory + 64);
  f.bench.run_for(10 + f.params.latency + kLatency[0]);
  CHECK(f.agent.done(load) == kNever);
  f.bench.run_for(1);
  CHECK(f.agent.done(load) == 10 + f.params.latency + kLatency[0]);
  CHECK(word(load) == 0x12345678);
}

TEST_CASE("the window of a cluster leads to its shared memory, by byte offsets") {
  Fixture f;
  f.shared[1]->set_word(64, 0x12345678);
  const LinePayload& load = f.read(10, f.window(1, 64));
  f.bench.run_for(10 + f.params.latency + kLatency[1]);
  CHECK(f.agent.done(load) == kNever);
  f.bench.run_for(1);
  CHECK(f.agent.done(load) == 10 + f.params.latency + kLatency[1]);
  CHECK(word(load) == 0x12345678);
  CHECK(f.shared[0]->seen().empty());
}

TEST_CASE("the window of a cluster leads to its peripherals, at the addresses of the guest") {
  Fixture f;
  f.peripherals[0]->set_word(kWindow + 0x10010, 0x12345678);
  const LinePayload& load = f.read(10, f.window(0, 0x10010));
  f.bench.run_for(10 + f.params.latency + kLatency[2]);
  CHECK(f.agent.done(load) == kNever);
  f.bench.run_for(1);
  CHECK(f.agent.done(load) == 10 + f.params.latency + kLatency[2]);
  CHECK(word(load) == 0x12345678);
  CHECK(f.peripherals[0]->seen()[0].address == kWindow + 0x10010);
}

TEST_CASE("a long request is split, one part per cycle and so many at a time") {
  HostPortParams params = host_params();
  params.outstanding = 2;
  Fixture f(params);
  for (unsigned i = 0; i < 32; ++i) f.global.set_word(kMemory + 4 * i, i);
  const LinePayload& load = f.read(10, kMemory + 16, 100);  // 16, 32, 32, 20
  f.bench.run();
  const Cycle first = 10 + params.latency, turn = kLatency[0];
  const auto& seen = f.global.seen();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].address == kMemory + 16);
  CHECK(seen[0].bytes == 16);
  CHECK(seen[1].address == kMemory + 32);
  CHECK(seen[1].bytes == 32);
  CHECK(seen[3].bytes == 20);
  CHECK(seen[0].cycle == first);
  CHECK(seen[1].cycle == first + 1);
  CHECK(seen[2].cycle == first + turn);  // in the cycle in which the first one came back
  CHECK(seen[3].cycle == first + turn + 1);
  CHECK(f.agent.done(load) == first + 2 * turn + 1);
  for (unsigned i = 0; i < 25; ++i) CHECK(load.data[4 * i] == i + 4);
}

TEST_CASE("parts for peripherals have the size of registers and go one by one") {
  Fixture f;
  LinePayload& store = f.agent.line(tlm::TLM_WRITE_COMMAND, f.window(0, 0x10001), 10);
  f.agent.at(10, store);
  f.bench.run();
  const auto& seen = f.peripherals[0]->seen();
  REQUIRE(seen.size() == 5);
  const unsigned bytes[] = {1, 2, 4, 2, 1};
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(seen[i].bytes == bytes[i]);
    CHECK(seen[i].cycle == 10 + f.params.latency + i * kLatency[2]);
  }
  CHECK(store.is_response_ok());
}

TEST_CASE("byte enables choose what is written and what is read") {
  Fixture f;
  f.global.set_word(kMemory, 0x44332211);
  LinePayload& store = f.agent.line(tlm::TLM_WRITE_COMMAND, kMemory, 4);
  std::memset(store.data.data(), 0xAA, 4);
  store.use_byte_enables();
  store.enables[1] = store.enables[2] = TLM_BYTE_ENABLED;
  LinePayload& load = f.agent.line(tlm::TLM_READ_COMMAND, kMemory, 4);
  std::memset(load.data.data(), 0x55, 4);
  load.use_byte_enables();
  load.enables[2] = load.enables[3] = TLM_BYTE_ENABLED;
  f.agent.at(10, store);
  f.agent.at(11, load);
  f.bench.run();
  CHECK(f.global.word(kMemory) == 0x44AAAA11);
  CHECK(word(load) == 0x44AA5555);
}

TEST_CASE("what is in no place, across its end or no register is refused, and nothing moves") {
  Fixture f;
  const auto status = [](const LinePayload& payload) { return payload.get_response_status(); };
  const LinePayload& nowhere = f.read(10, 0x4000'0000);
  const LinePayload& shadowed = f.read(11, kWindow);  // where only cores see something
  const LinePayload& beyond = f.read(12, kMemory + kMemoryBytes - 2);
  const LinePayload& no_cluster = f.read(13, f.window(2, 0));
  const LinePayload& hole = f.read(14, f.window(0, 0x10800));
  const LinePayload& no_register = f.read(15, f.reg(HOST_PORT_REGISTERS_END));
  const LinePayload& write_only = f.read(16, f.reg(HOST_PORT_LAUNCH));
  const LinePayload& read_only = f.write(17, f.reg(HOST_PORT_STATUS), 1);
  const LinePayload& two_bytes = f.read(18, f.reg(HOST_PORT_ID), 2);
  const LinePayload& two_registers = f.read(19, f.reg(HOST_PORT_ID), 8);
  f.bench.run();
  for (const LinePayload* payload : {&nowhere, &shadowed, &beyond, &no_cluster, &hole})
    CHECK(status(*payload) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  for (const LinePayload* payload : {&no_register, &write_only, &read_only})
    CHECK(status(*payload) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  for (const LinePayload* payload : {&two_bytes, &two_registers})
    CHECK(status(*payload) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(f.global.seen().empty());
  CHECK(f.dut.stats().errors.value() == 10);
}

TEST_CASE("a full queue holds the next request") {
  HostPortParams params = host_params();
  params.queue_depth = 1;
  Fixture f(params);
  const LinePayload& first = f.read(10, kMemory);
  const LinePayload& second = f.read(10, kMemory + 4);
  f.bench.run();
  CHECK(f.agent.accepted(first) == 10);
  CHECK(f.agent.accepted(second) == 10 + params.latency);
  CHECK(f.agent.done(first) == 10 + params.latency + kLatency[0]);
  CHECK(f.agent.done(second) == f.agent.done(first) + 1 + kLatency[0]);
}

TEST_CASE("debug access reaches memory, shared memory and peripherals, and looks at registers") {
  Fixture f;
  const auto debug = [&](tlm::tlm_command command, std::uint64_t address, std::uint32_t& value) {
    Payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    return f.agent.socket->transport_dbg(payload);
  };
  f.bench.run_for(1);
  std::uint32_t value = 0xCAFE;
  CHECK(debug(tlm::TLM_WRITE_COMMAND, kMemory + 8, value) == 4);
  CHECK(f.global.word(kMemory + 8) == 0xCAFE);
  CHECK(debug(tlm::TLM_WRITE_COMMAND, f.window(1, 8), value) == 4);
  CHECK(f.shared[1]->word(8) == 0xCAFE);
  CHECK(debug(tlm::TLM_WRITE_COMMAND, f.window(0, 0x10008), value) == 4);
  CHECK(f.peripherals[0]->word(kWindow + 0x10008) == 0xCAFE);
  CHECK(debug(tlm::TLM_READ_COMMAND, f.reg(HOST_PORT_CORES), value) == 4);
  CHECK(value == f.params.cores);
  CHECK(debug(tlm::TLM_WRITE_COMMAND, f.reg(HOST_PORT_LAUNCH), value) == 0);
  CHECK(debug(tlm::TLM_READ_COMMAND, 0x4000'0000, value) == 0);
  CHECK(f.machine.entries.empty());
}

TEST_CASE("a doorbell starts the machine, and status, interrupt and exit code tell of its end") {
  Fixture f;
  f.machine.end = 50;
  f.write(10, f.reg(HOST_PORT_ENTRY), 0x8000'1000);
  f.write(11, f.reg(HOST_PORT_INTERRUPT_ENABLE), 1);
  f.write(12, f.reg(HOST_PORT_LAUNCH), 1);
  const LinePayload& before = f.read(49 - f.params.latency, f.reg(HOST_PORT_STATUS));
  const LinePayload& after = f.read(51 - f.params.latency, f.reg(HOST_PORT_STATUS));
  const LinePayload& pending = f.read(52, f.reg(HOST_PORT_INTERRUPT_PENDING));
  const LinePayload& exit_code = f.read(53, f.reg(HOST_PORT_EXIT_CODE));
  const LinePayload& cycles = f.read(54, f.reg(HOST_PORT_CYCLES_LO));
  f.write(60, f.reg(HOST_PORT_INTERRUPT_PENDING), 1);
  const LinePayload& cleared = f.read(61, f.reg(HOST_PORT_INTERRUPT_PENDING));
  f.bench.run();
  CHECK(f.machine.entries == std::vector<std::uint32_t>{0x8000'1000});
  CHECK(word(before) == HOST_PORT_STATUS_RUNNING);
  CHECK(word(after) == HOST_PORT_STATUS_DONE);
  CHECK(word(pending) == 1);
  CHECK(word(exit_code) == 77);
  CHECK(word(cycles) == 50 - (12 + f.params.latency));
  CHECK(word(cleared) == 0);
  CHECK(f.dut.status() == HOST_PORT_STATUS_DONE);
}

TEST_CASE("a second doorbell is refused while the machine runs, and taken after its end") {
  Fixture f;
  f.machine.end = 50;
  f.write(10, f.reg(HOST_PORT_LAUNCH), 1);
  const LinePayload& early = f.write(20, f.reg(HOST_PORT_LAUNCH), 1);
  const LinePayload& late = f.write(60, f.reg(HOST_PORT_LAUNCH), 1);
  f.bench.run();
  CHECK(early.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(late.is_response_ok());
  CHECK(f.machine.entries.size() == 2);
}

TEST_CASE("a fault stops the machine and is shown, and a reset makes it ready again") {
  Fixture f;
  f.write(10, f.reg(HOST_PORT_LAUNCH), 1);
  f.bench.run_for(20);
  protocol::GuestFault fault{};
  fault.kind = protocol::FaultKind::kUnmappedAccess;
  fault.severity = protocol::Severity::kFault;
  fault.cycle = 20;
  fault.origin.pc = 0x8000'0010;
  fault.origin.core = 3;
  fault.origin.warp = 2;
  fault.has_address = true;
  fault.address = 0x1234;
  protocol::GuestFault warning = fault;
  warning.severity = protocol::Severity::kWarning;
  protocol::FaultIf& in = f.dut;
  in.report(warning);
  CHECK(f.machine.halts == 0);
  in.report(fault);
  CHECK(f.machine.halts == 1);
  CHECK(f.faults.faults.size() == 2);
  const auto read = [&](Cycle t, unsigned offset) -> const LinePayload& { return f.read(t, f.reg(offset)); };
  const LinePayload& status = read(30, HOST_PORT_STATUS);
  const LinePayload& kind = read(31, HOST_PORT_FAULT_KIND);
  const LinePayload& pc = read(32, HOST_PORT_FAULT_PC);
  const LinePayload& address = read(33, HOST_PORT_FAULT_ADDRESS);
  const LinePayload& origin = read(34, HOST_PORT_FAULT_ORIGIN);
  const LinePayload& refused = f.write(35, f.reg(HOST_PORT_LAUNCH), 1);
  f.write(36, f.reg(HOST_PORT_RESET), 1);
  const LinePayload& reset = read(37, HOST_PORT_STATUS);
  const LinePayload& again = f.write(38, f.reg(HOST_PORT_LAUNCH), 1);
  f.bench.run_for(50);
  CHECK(word(status) == HOST_PORT_STATUS_FAULTED);
  CHECK(word(kind) == static_cast<unsigned>(protocol::FaultKind::kUnmappedAccess) + 1);
  CHECK(word(pc) == 0x8000'0010);
  CHECK(word(address) == 0x1234);
  CHECK(word(origin) == 0x30200);
  CHECK(refused.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(word(reset) == 0);
  CHECK(f.machine.resets == 1);
  CHECK(again.is_response_ok());
}

TEST_CASE("the block's own reset drops what is under way, and the next request has its usual time") {
  Fixture f;
  f.read(10, kMemory, 64);
  f.read(11, kMemory, 64);
  f.bench.run_for(15);
  CHECK_FALSE(f.dut.idle());
  std::ostringstream out;
  f.dut.dump_state(out);
  CHECK_THAT(out.str(), Catch::Contains("parts under way") && Catch::Contains("1 requests wait"));
  f.dut.reset();
  f.agent.reset();
  f.global.reset();
  CHECK(f.dut.idle());
  const LinePayload& load = f.read(100, kMemory);
  f.bench.run();
  CHECK(f.agent.done(load) == 100 + f.params.latency + kLatency[0]);
}
