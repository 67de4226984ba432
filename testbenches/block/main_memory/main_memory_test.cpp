// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "models/protocol/transport/direct_memory.h"
#include "testbenches/block/main_memory/memory_fixture.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;
using testbench::kBase;
using Fixture = testbench::MemoryFixture;

TEST_CASE("reads of a closed, an open and another row are answered when the device says") {
  Fixture f;
  const main_memory::DramParams& d = f.params.dram;
  const std::uint64_t other_row = d.row_bytes * d.banks * f.params.channels;
  auto& miss = f.read(kBase);
  auto& hit = f.read(kBase);
  auto& conflict = f.read(kBase + other_row);
  f.agent.at(10, miss);
  f.agent.at(200, hit);
  f.agent.at(400, conflict);
  f.bench.run();
  CHECK(f.agent.done(miss) == f.answer(10, d.rcd + d.cl + d.burst));
  CHECK(f.agent.done(hit) == f.answer(200, d.cl + d.burst));
  CHECK(f.agent.done(conflict) == f.answer(400, d.rp + d.rcd + d.cl + d.burst));
  CHECK(f.dut.stats().row_misses.value() == 1);
  CHECK(f.dut.stats().row_hits.value() == 1);
  CHECK(f.dut.stats().row_conflicts.value() == 1);
}

TEST_CASE("channels work side by side, one channel streams at the rate of its data bus") {
  Fixture f;
  constexpr unsigned kLines = 2048;
  std::vector<protocol::LinePayload*> both, one;
  for (unsigned i = 0; i < kLines; ++i) both.push_back(&f.read(kBase + 64 * i));
  for (auto* payload : both) f.agent.at(0, *payload);
  f.bench.run();
  const double two_channels = 64.0 * kLines / static_cast<double>(f.agent.done(*both.back()));
  const Cycle start = f.time() + 1;
  for (unsigned i = 0; i < kLines; ++i) {
    one.push_back(&f.read(kBase + 128 * i));
    f.agent.at(start, *one.back());
  }
  f.bench.run();
  Cycle last = 0;
  for (auto* payload : one) last = std::max(last, f.agent.done(*payload));
  const double one_channel = 64.0 * kLines / static_cast<double>(last - start);
  // 64 bytes in `burst` clocks of the DRAM.
  const double limit = 64.0 * 2500 / static_cast<double>(f.params.dram.burst * f.params.dram.clock_ps);
  INFO("one channel " << one_channel << ", two " << two_channels << ", limit " << limit);
  CHECK(one_channel <= limit);
  CHECK(one_channel >= 0.9 * limit);
  const auto data = kLines * f.params.dram.burst * f.params.dram.clock_ps / 2500;  // cycles
  const std::uint64_t moved = f.charged("moving") + f.charged("channel_busy");
  CHECK(moved >= data + data / 2);  // half of the first lines, all of the second ones
  CHECK(moved <= 1.05 * static_cast<double>(data + data / 2));
  CHECK(f.charged("channel_busy") > 0.6 * static_cast<double>(moved));
  CHECK(two_channels <= 2 * limit);
  CHECK(two_channels >= 1.6 * limit);
}

TEST_CASE("a full queue holds the request and nothing is lost") {
  main_memory::Params params = Fixture::quiet();
  params.transaction_queue = 2;
  Fixture f(params);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 50; ++i) {
    reads.push_back(&f.read(kBase + 128 * i));
    f.agent.at(0, *reads.back());
  }
  f.bench.run();
  for (auto* payload : reads) {
    CHECK(f.agent.done(*payload) != base::kNever);
    CHECK(payload->is_response_ok());
  }
  CHECK(f.agent.accepted(*reads[1]) == 0);
  CHECK(f.agent.accepted(*reads[2]) > 0);
  CHECK(f.charged("queue_full") > 0);
  CHECK(f.charged("queue_full", 1) == 0);
  CHECK(f.charged("idle", 1) == f.dut.now());
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("requests for rows of one bank wait for the bank, not for the channel") {
  Fixture f;
  const main_memory::DramParams& d = f.params.dram;
  constexpr unsigned kReads = 32;
  for (unsigned i = 0; i < kReads; ++i)
    f.agent.at(0, f.read(kBase + i * d.row_bytes * d.banks * f.params.channels));
  f.bench.run();
  CHECK(f.dut.stats().row_conflicts.value() >= kReads - 8);
  CHECK(f.charged("banks") > f.dut.now() / 2);
  CHECK(f.charged("channel_busy") < f.dut.now() / 4);
}

TEST_CASE("an open row goes first when the scheduler may reorder, but not for ever") {
  Fixture f;
  const main_memory::Params& params = f.params;
  const main_memory::DramParams& d = params.dram;
  const std::uint64_t column = 64 * d.banks * params.channels, row = d.row_bytes * d.banks * params.channels;
  auto& opens = f.read(kBase);
  auto& conflict = f.read(kBase + row);
  std::vector<protocol::LinePayload*> hits;
  f.agent.at(0, opens);
  f.agent.at(0, conflict);
  for (unsigned i = 1; i <= 8; ++i) {
    hits.push_back(&f.read(kBase + i * column));
    f.agent.at(0, *hits.back());
  }
  f.bench.run();
  // Four accesses per open row: the first and three of the hits; then the oldest goes.
  CHECK(f.agent.done(*hits[2]) < f.agent.done(conflict));
  CHECK(f.agent.done(conflict) < f.agent.done(*hits[3]));
}

TEST_CASE("in-order scheduling keeps the order of arrival") {
  main_memory::Params params = Fixture::quiet();
  params.dram.scheduling = main_memory::Scheduling::kFcfs;
  Fixture f(params);
  const std::uint64_t row = params.dram.row_bytes * params.dram.banks * params.channels;
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 8; ++i) {
    reads.push_back(&f.read(kBase + (i % 2) * row));
    f.agent.at(0, *reads.back());
  }
  f.bench.run();
  for (unsigned i = 1; i < 8; ++i) CHECK(f.agent.done(*reads[i - 1]) < f.agent.done(*reads[i]));
}

TEST_CASE("writes obey byte enables, timing-only requests move nothing") {
  Fixture f;
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 64, 64);
  for (unsigned i = 0; i < 64; ++i) write.data[i] = static_cast<unsigned char>(i + 1);
  write.use_byte_enables();
  write.enables[5] = 0xFF;
  auto& timing = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 128, 64);
  timing.data.fill(0xAA);
  timing.info.timing_only = true;
  auto& timing_read = f.read(kBase + 64);
  timing_read.data.fill(0x55);
  timing_read.info.timing_only = true;
  f.agent.at(0, write);
  f.agent.at(1, timing);
  f.agent.at(100, timing_read);
  auto& back = f.read(kBase + 64, 64);
  f.agent.at(200, back);
  f.bench.run();
  CHECK(back.data[4] == 0);
  CHECK(back.data[5] == 6);
  CHECK(back.data[6] == 0);
  CHECK(timing_read.data[5] == 0x55);
  unsigned char byte = 1;
  protocol::DirectMemory direct(f.agent.socket);
  REQUIRE(direct.read(kBase + 128, &byte, 1));
  CHECK(byte == 0);
}

TEST_CASE("debug and direct access take no time and know the bounds") {
  Fixture f;
  protocol::DirectMemory direct(f.agent.socket);
  const std::uint32_t value = 0x12345678;
  std::uint32_t back = 0;
  REQUIRE(direct.write(0xFFFFFFFC, reinterpret_cast<const unsigned char*>(&value), 4));
  REQUIRE(direct.read(0xFFFFFFFC, reinterpret_cast<unsigned char*>(&back), 4));
  CHECK(back == value);
  CHECK_FALSE(direct.read(0x7FFFFFFC, reinterpret_cast<unsigned char*>(&back), 4));
  CHECK_FALSE(direct.read(0xFFFFFFFE, reinterpret_cast<unsigned char*>(&back), 4));
  auto& debug = f.read(0xFFFFFFC0);
  CHECK(f.agent.socket->transport_dbg(debug) == 64);
  std::memcpy(&back, &debug.data[60], 4);
  CHECK(back == value);
  CHECK(f.bench.clock.asleep());
  CHECK(f.dut.stats().reads.value() == 0);
}

TEST_CASE("an address outside of memory is an error, not the end") {
  Fixture f;
  auto& outside = f.read(0x1000);
  auto& inside = f.read(kBase);
  f.agent.at(0, outside);
  f.agent.at(0, inside);
  f.bench.run();
  CHECK(outside.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(inside.is_response_ok());
  CHECK(f.dut.stats().address_errors.value() == 1);
}

TEST_CASE("refresh delays an access that meets it and keeps no clock awake") {
  main_memory::Params params;
  Fixture f(params);
  const main_memory::DramParams& d = params.dram;
  auto& first = f.read(kBase);
  f.agent.at(0, first);
  f.bench.run_for(3000);
  CHECK(f.bench.clock.asleep());
  // The scheduler takes it 100 ns into the refresh at 2 * 7800 ns.
  const Cycle sent = (2 * d.refresh_ns * 1000 + 100'000) / 2500 - params.request_latency;
  auto& second = f.read(kBase);
  f.agent.at(sent, second);
  f.bench.run();
  CHECK(f.agent.done(second) == f.answer(sent, d.rfc + d.rcd + d.cl + d.burst) - 100'000 / 2500);
  CHECK(f.dut.stats().refreshes.value() == 2);
}

TEST_CASE("reset in flight leaves an idle block that keeps its bytes") {
  Fixture f;
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase, 64);
  write.data.fill(9);
  f.agent.at(0, write);
  f.bench.run_for(200);
  for (unsigned i = 0; i < 20; ++i) f.agent.at(f.time() + 1, f.read(kBase + 64 * i));
  f.bench.run_for(25);
  CHECK_FALSE(f.reset_in_flight().empty());
  f.bench.run_for(100);
  const Cycle start = f.time() + 1;
  auto& read = f.read(kBase);
  f.agent.at(start, read);
  f.bench.run();
  const main_memory::DramParams& d = f.params.dram;
  CHECK(f.agent.done(read) == f.answer(start, d.rcd + d.cl + d.burst));
  CHECK(read.data[0] == 9);
  f.dut.settle_stats();
  CHECK(f.dut.stats().activity.total() == f.bench.clock.now());
}
