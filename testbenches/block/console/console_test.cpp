// SPDX-License-Identifier: Apache-2.0
#include "models/console/console.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;
using spica::console::Console;
using spica::console::ConsoleParams;
using spica::protocol::Atomic;
using spica::protocol::Origin;

namespace {

/// Notes who put what.
struct Listener final : public sc_core::sc_module, public spica::protocol::ConsoleIf {
  explicit Listener(const sc_core::sc_module_name& name) : sc_module(name) {}
  void put(const Origin& origin, unsigned lane, const char* characters, unsigned count) override {
    text.append(characters, count);
    puts.push_back({origin.core, origin.warp, lane, std::string(characters, count)});
  }
  struct Put {
    unsigned core, warp, lane;
    std::string text;
  };
  std::string text;
  std::vector<Put> puts;
};

struct Fixture {
  explicit Fixture(const ConsoleParams& p = {}) : params(p), dut("dut", p, bench.clock) {
    dut.console.bind(listener);
    agent.socket.bind(dut.in);
    bench.add(dut);
    bench.add(agent);
  }
  LinePayload& store(Cycle t, std::uint64_t offset, const std::string& text) {
    LinePayload& payload =
        agent.line(tlm::TLM_WRITE_COMMAND, params.base + offset, static_cast<unsigned>(text.size()));
    std::copy(text.begin(), text.end(), payload.data.begin());
    agent.at(t, payload);
    return payload;
  }
  LinePayload& load(Cycle t, std::uint64_t offset, unsigned bytes) {
    LinePayload& payload = agent.line(tlm::TLM_READ_COMMAND, params.base + offset, bytes);
    agent.at(t, payload);
    return payload;
  }
  std::uint64_t stat(const std::string& name) {
    for (const auto& entry : dut.stats().counters())
      if (entry.name == name) return entry.counter.value();
    throw std::logic_error("no statistic " + name);
  }

  Bench bench;
  ConsoleParams params;
  Console dut;
  Listener listener{"listener"};
  TrafficAgent agent{"agent", bench.clock};
};

}  // namespace

TEST_CASE("every byte stored is a character, in order of the stores, whatever its address") {
  Fixture f;
  f.store(1, 0, "Hell");
  f.store(2, 4, "o,");
  f.store(3, 100, " ");
  f.store(4, 0, "worl");
  f.store(5, 2, "d\n");
  f.bench.run();
  CHECK(f.listener.text == "Hello, world\n");
  CHECK(f.stat("characters") == 13);
  CHECK(f.stat("stores") == 5);
}

TEST_CASE("core, warp and lane of the store come with the characters") {
  Fixture f;
  LinePayload& payload = f.store(1, 0x21, "x");
  payload.info.origin.unit = Origin::Unit::kCore;
  payload.info.origin.core = 3;
  payload.info.origin.warp = 6;
  payload.info.origin.lanes = 1u << 5;
  f.bench.run();
  REQUIRE(f.listener.puts.size() == 1);
  CHECK(f.listener.puts[0].core == 3);
  CHECK(f.listener.puts[0].warp == 6);
  CHECK(f.listener.puts[0].lane == 5);
  CHECK(f.listener.puts[0].text == "x");
}

TEST_CASE("byte enables choose the characters") {
  Fixture f;
  LinePayload& payload = f.store(1, 8, "abcdefgh");
  payload.use_byte_enables();
  for (const unsigned i : {1u, 2u, 5u, 7u}) payload.enables[i] = 0xFF;
  LinePayload& load = f.load(2, 8, 8);
  f.bench.run();
  CHECK(f.listener.text == "bcfh");
  REQUIRE(f.listener.puts.size() == 3);
  CHECK(f.listener.puts[0].text == "bc");
  CHECK(std::string(load.data.begin(), load.data.begin() + 8) == std::string("\0bc\0\0f\0h", 8));
}

TEST_CASE("loads bring what was stored last and print nothing") {
  Fixture f;
  f.store(1, 0x10, "old!");
  f.store(2, 0x10, "new!");
  LinePayload& load = f.load(3, 0x10, 4);
  LinePayload& fresh = f.load(4, 0x40, 2);
  fresh.data.fill(0x55);
  f.bench.run();
  CHECK(std::string(load.data.begin(), load.data.begin() + 4) == "new!");
  CHECK(fresh.data[0] == 0);
  CHECK(f.listener.text == "old!new!");
  CHECK(f.stat("loads") == 2);
}

TEST_CASE("one request is served per cycle and answered after the latency") {
  ConsoleParams params;
  params.latency = 5;
  Fixture f(params);
  std::vector<LinePayload*> stores;
  for (unsigned i = 0; i < 10; ++i)
    stores.push_back(&f.store(10, 0, std::string(1, static_cast<char>('0' + i))));
  f.bench.run_for(10 + params.latency);
  CHECK(f.agent.done(*stores[0]) == kNever);
  f.bench.run();
  for (unsigned i = 0; i < 10; ++i) CHECK(f.agent.done(*stores[i]) == 10 + params.latency + i);
  CHECK(f.listener.text == "0123456789");
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("a full queue holds the next request") {
  Fixture f;
  std::vector<LinePayload*> stores;
  for (unsigned i = 0; i < 4; ++i) stores.push_back(&f.store(10, 0, "."));
  f.bench.run();
  const Cycle depth = f.params.queue_depth;
  for (Cycle i = 0; i < depth; ++i) CHECK(f.agent.accepted(*stores[i]) == 10);
  for (Cycle i = depth; i < 4; ++i) CHECK(f.agent.accepted(*stores[i]) == 10 + 1 + i - depth);
}

TEST_CASE("outside the window and atomics are refused without a character") {
  Fixture f;
  LinePayload& below = f.agent.line(tlm::TLM_WRITE_COMMAND, f.params.base - 1, 1);
  LinePayload& beyond = f.agent.line(tlm::TLM_WRITE_COMMAND, f.params.base + f.params.size - 2, 4);
  LinePayload& atomic = f.agent.line(tlm::TLM_READ_COMMAND, f.params.base, 4);
  atomic.info.atomic = Atomic::kSwap;
  LinePayload& last = f.agent.line(tlm::TLM_WRITE_COMMAND, f.params.base + f.params.size - 1, 1);
  last.data[0] = '$';
  Cycle t = 1;
  for (LinePayload* payload : {&below, &beyond, &atomic, &last}) f.agent.at(t++, *payload);
  f.bench.run();
  CHECK(below.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(beyond.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(atomic.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(last.is_response_ok());
  CHECK(f.listener.text == "$");
}

TEST_CASE("debug access reads and writes without a character") {
  Fixture f;
  LinePayload& write = f.agent.line(tlm::TLM_WRITE_COMMAND, f.params.base + 4, 2);
  write.data[0] = 'o';
  write.data[1] = 'k';
  LinePayload& outside = f.agent.line(tlm::TLM_READ_COMMAND, f.params.base + f.params.size, 1);
  LinePayload& load = f.load(5, 4, 2);
  f.bench.run_for(1);
  CHECK(f.agent.socket->transport_dbg(write) == 2);
  CHECK(f.agent.socket->transport_dbg(outside) == 0);
  f.bench.run();
  CHECK(load.data[1] == 'k');
  CHECK(f.listener.text.empty());
  CHECK(f.stat("stores") == 0);
}

TEST_CASE("a reset drops what is queued and clears the window") {
  Fixture f;
  f.store(1, 0, "a");
  for (unsigned i = 0; i < 6; ++i) f.store(5, 0, "b");
  f.bench.run_for(7);
  CHECK_FALSE(f.dut.idle());
  std::ostringstream out;
  f.dut.dump_state(out);
  CHECK_THAT(out.str(), Catch::Contains("2 queued") && Catch::Contains("held at the socket"));
  const std::string before = f.listener.text;
  f.dut.reset();
  f.agent.reset();
  CHECK(f.dut.idle());
  f.bench.run_for(50);
  CHECK(f.listener.text == before);
  const auto t = static_cast<Cycle>(sc_core::sc_time_stamp() / f.bench.clock.period()) + 5;
  LinePayload& load = f.load(t, 0, 1);
  f.bench.run();
  CHECK(f.agent.done(load) == t + f.params.latency);
  CHECK(load.data[0] == 0);
}
