// SPDX-License-Identifier: Apache-2.0
// A TLM-2.0 module that keeps the times of the memory, while the memory keeps the bytes.

#include "models/main_memory/tlm_back_end.h"
#include "testbenches/block/main_memory/memory_fixture.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/strangers.h"

using namespace spica;
using stranger::Memory;
using testbench::Cycle;
using testbench::kBase;
using Fixture = testbench::MemoryFixture;

namespace {

main_memory::BackEndFactory through(Memory& device, std::uint64_t requests = 16) {
  return [&device, requests](const main_memory::BackEndContext& context) {
    auto made = std::make_unique<main_memory::TlmBackEnd>(context, requests);
    made->device.bind(device.in);
    return made;
  };
}

/// Answers of four reads sent in cycles 10 to 13 to a device with a latency of 4 cycles.
std::vector<Cycle> answers(Memory::Style style, std::uint64_t requests = 16) {
  Memory device("memory", style, sc_core::sc_time(10, sc_core::SC_NS));
  Fixture f({}, through(device, requests));
  for (std::size_t i = 0; i < 4; ++i) f.dut.data()[64 * i] = static_cast<unsigned char>(40 + i);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 4; ++i) {
    reads.push_back(&f.read(kBase + 64 * i));
    f.agent.at(10 + i, *reads.back());
  }
  f.bench.run();
  std::vector<Cycle> done;
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(reads[i]->data[0] == 40 + i);  // not the device's
    done.push_back(f.agent.done(*reads[i]));
  }
  CHECK(device.reads == 4);
  CHECK(f.dut.idle());
  CHECK(f.dut.stats().bytes_read.value() == 256);
  return done;
}

/// Of 20 reads sent in cycle 20; the device is a block of ours with a latency of 10 cycles.
Cycle first_answer_of_a_block(bool first) {
  testbench::Bench bench;
  testbench::MemoryStub device("device", bench.clock, 10, 4);
  const main_memory::Params params;
  main_memory::MainMemory dut("dut", params, bench.clock, [&](const main_memory::BackEndContext& context) {
    auto made = std::make_unique<main_memory::TlmBackEnd>(context, 16);
    made->device.bind(device.socket);
    return made;
  });
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(dut.in);
  if (first) bench.add(device);
  bench.add(dut);
  if (!first) bench.add(device);
  bench.add(agent);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 20; ++i) {
    reads.push_back(&agent.line(tlm::TLM_READ_COMMAND, kBase + 64 * i, 64));
    agent.at(20, *reads.back());
  }
  bench.run();
  for (const auto* read : reads) CHECK(read->is_response_ok());
  CHECK(dut.idle());
  return agent.done(*reads[0]);
}

}  // namespace

// The same cycles as without a memory in between (strangers_test.cpp).
TEST_CASE("a device that completes at once keeps the times of the memory") {
  CHECK(answers(Memory::Style::kCompletes) == std::vector<Cycle>{14, 18, 22, 26});
}

TEST_CASE("a device with all four phases keeps the times of the memory") {
  CHECK(answers(Memory::Style::kFourPhases) == std::vector<Cycle>{14, 16, 18, 20});
}

TEST_CASE("a device whose BEGIN_RESP implies END_REQ keeps the times of the memory") {
  CHECK(answers(Memory::Style::kNoEndOfRequest) == std::vector<Cycle>{14, 18, 22, 26});
}

TEST_CASE("a device that answers out of order keeps the times of the memory") {
  CHECK(answers(Memory::Style::kBackwards) == std::vector<Cycle>{19, 15, 21, 17});
}

TEST_CASE("no more requests are at a device than it may have") {
  CHECK(answers(Memory::Style::kFourPhases, 1) == std::vector<Cycle>{14, 18, 22, 26});
}

TEST_CASE("a device gets the offset in the memory as address, and its writes stay with it") {
  Memory device("memory", Memory::Style::kFourPhases, sc_core::sc_time(10, sc_core::SC_NS));
  device.bytes[128] = 7;
  Fixture f({}, through(device));
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 128, 64);
  write.data.fill(9);
  auto& read = f.read(kBase + 128);
  f.agent.at(0, write);
  f.agent.at(100, read);
  f.bench.run();
  CHECK(read.data[0] == 9);
  CHECK(device.bytes[128] == 0);
  CHECK(device.writes == 1);
}

TEST_CASE("a block of the same clock keeps the times of a memory that ticks after it") {
  CHECK(first_answer_of_a_block(true) == 30);
}

TEST_CASE("a block of the same clock that ticks after the memory is heard one cycle later") {
  CHECK(first_answer_of_a_block(false) == 31);
}

TEST_CASE("responses of a device to requests from before a reset are dropped") {
  Memory device("memory", Memory::Style::kFourPhases, sc_core::sc_time(100, sc_core::SC_NS));
  Fixture f({}, through(device));
  f.agent.at(0, f.read(kBase));
  f.bench.run_for(10);
  CHECK(f.reset_in_flight() == "dut: 1 requests in dut.device\n");
  auto& read = f.read(kBase);
  f.agent.at(30, read);
  f.bench.run();
  CHECK(f.agent.done(read) == 70);
}
