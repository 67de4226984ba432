// SPDX-License-Identifier: Apache-2.0
#include "models/mio/writeback_port.h"

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "models/base/checkpoint.h"
#include "testbenches/support/catch.h"

using namespace spica;
using base::Cycle;
using mio::RegisterBanks;
using mio::WritebackPort;
using protocol::WarpPayload;

namespace {

mio::WritebackParams params_of(std::uint64_t banks, std::uint64_t registers = 1) {
  mio::WritebackParams params;
  params.present = true;
  params.banks = banks;
  params.registers_per_answer = registers;
  return params;
}

/// A port, and the cycle in which each load had its registers.
struct Desk {
  explicit Desk(const mio::WritebackParams& params, unsigned cores = 4)
      : port(params), banks(cores, static_cast<unsigned>(params.banks)) {}

  WarpPayload& load(WritebackPort::Client client, unsigned pieces = 1, std::uint32_t pc = 0,
                    unsigned core = 0) {
    WarpPayload& payload = pool.take();
    payload.info.origin.pc = pc;
    port.add(client, payload, core, pieces);
    return payload;
  }
  void step() {
    work.push_back(port.step(now, banks, [this](WarpPayload& payload) { done.emplace_back(&payload, now); }));
    ++now;
  }
  void run() {
    while (!port.empty()) step();
  }
  Cycle done_in(const WarpPayload& payload) const {
    for (const auto& [one, cycle] : done)
      if (one == &payload) return cycle;
    return base::kNever;
  }

  protocol::WarpPool pool;
  WritebackPort port;
  RegisterBanks banks;
  Cycle now = 0;
  std::vector<std::pair<const WarpPayload*, Cycle>> done;
  std::vector<WritebackPort::Work> work;
};

std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

TEST_CASE("a missed load of S sectors takes S * ceil(R / B) cycles") {
  for (const std::uint64_t registers : {1, 2, 4, 8})
    for (const std::uint64_t banks : {1, 2, 4, 8})
      for (const unsigned sectors : {1u, 4u, 16u}) {
        Desk desk(params_of(banks, registers));
        const WarpPayload& load = desk.load(WritebackPort::kGlobal, sectors);
        desk.run();
        CHECK(desk.done_in(load) + 1 == sectors * quotient_up(registers, banks));
      }
}

TEST_CASE(
    "128 bytes of a missed load: 4 cycles as words, of 16-byte loads 8 with two banks and 4 with four") {
  const auto cycles = [](std::uint64_t banks, std::uint64_t registers) {
    Desk desk(params_of(banks, registers));
    desk.load(WritebackPort::kGlobal, 4);
    desk.run();
    return desk.now;
  };
  CHECK(cycles(2, 1) == 4);
  CHECK(cycles(4, 1) == 4);
  CHECK(cycles(2, 4) == 8);
  CHECK(cycles(4, 4) == 4);
}

TEST_CASE("R answers of shared memory to one instruction take ceil(R / B) cycles, of R instructions R") {
  for (const unsigned registers : {1u, 2u, 3u, 8u})
    for (const std::uint64_t banks : {1, 2, 4, 8})
      for (const bool together : {true, false}) {
        Desk desk(params_of(banks, 4));  // registers_per_answer is of missed loads only
        for (unsigned i = 0; i < registers; ++i) desk.load(WritebackPort::kShared, 1, together ? 0 : 4 * i);
        desk.run();
        CHECK(desk.now == (together ? quotient_up(registers, banks) : registers));
      }
}

TEST_CASE("shared memory and missed loads have the port in turn") {
  Desk desk(params_of(2));
  std::vector<const WarpPayload*> shared;
  for (std::uint32_t i = 0; i < 4; ++i) shared.push_back(&desk.load(WritebackPort::kShared, 1, 4 * i));
  const WarpPayload& first = desk.load(WritebackPort::kGlobal, 2);
  const WarpPayload& second = desk.load(WritebackPort::kGlobal, 1);
  desk.run();
  using Work = WritebackPort::Work;
  CHECK(desk.work == std::vector<Work>{Work::kWritesShared, Work::kWritesGlobal, Work::kWritesShared,
                                       Work::kWritesGlobal, Work::kWritesShared, Work::kWritesGlobal,
                                       Work::kWritesShared});
  CHECK(desk.done_in(first) == 3);
  CHECK(desk.done_in(second) == 5);
  CHECK(desk.done_in(*shared[3]) == 6);
}

TEST_CASE("an answer that has begun keeps the port") {
  Desk desk(params_of(2, 4));
  const WarpPayload& global = desk.load(WritebackPort::kGlobal, 1);
  desk.step();
  const WarpPayload& shared = desk.load(WritebackPort::kShared);
  desk.run();
  CHECK(desk.done_in(global) == 1);
  CHECK(desk.done_in(shared) == 2);
}

TEST_CASE("two ports that write one core share its banks; those of two cores do not") {
  for (const bool same_core : {true, false}) {
    Desk one(params_of(2, 2));
    WritebackPort other(params_of(2, 2));
    const WarpPayload& mine = one.load(WritebackPort::kGlobal, 3, 0, 0);
    other.add(WritebackPort::kGlobal, one.pool.take(), same_core ? 0 : 1, 3);
    unsigned theirs = 0;
    while (!other.empty() || !one.port.empty()) {
      const Cycle cycle = one.now;
      if (!one.port.empty()) one.step();
      else ++one.now;
      other.step(cycle, one.banks, [&](WarpPayload&) { theirs = static_cast<unsigned>(cycle); });
    }
    CHECK(one.done_in(mine) == 2);
    CHECK(theirs == (same_core ? 5u : 2u));
  }
}

TEST_CASE("of random answers none is lost, and none overtakes one of its client") {
  std::mt19937 generator(11);
  const auto random = [&](unsigned below) { return static_cast<unsigned>(generator() % below); };
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t banks = 1u << random(4), registers = 1 + random(8);
    Desk desk(params_of(banks, registers));
    std::vector<const WarpPayload*> sent[2];
    std::uint64_t least = 0;
    for (int i = 0; i < 100; ++i) {
      if (random(3) != 0) {
        const auto client = static_cast<WritebackPort::Client>(random(2));
        const unsigned pieces = client == WritebackPort::kShared ? 1 : 1 + random(5);
        sent[client].push_back(&desk.load(client, pieces, 4 * random(3), random(4)));
        if (client == WritebackPort::kGlobal) least += pieces * quotient_up(registers, banks);
      }
      if (random(2) != 0) desk.step();
    }
    desk.run();
    REQUIRE(desk.done.size() == sent[0].size() + sent[1].size());
    for (const auto& client : sent)
      for (std::size_t i = 1; i < client.size(); ++i)
        REQUIRE(desk.done_in(*client[i - 1]) <= desk.done_in(*client[i]));
    for (const WarpPayload* load : sent[WritebackPort::kGlobal]) REQUIRE(desk.done_in(*load) != base::kNever);
    const auto busy = std::count_if(desk.work.begin(), desk.work.end(), [](WritebackPort::Work work) {
      return work == WritebackPort::kWritesGlobal;
    });
    REQUIRE(static_cast<std::uint64_t>(busy) == least);
  }
}

TEST_CASE("a port that was saved in the middle of an answer goes on as if it had not been") {
  Desk desk(params_of(2, 4)), copy(params_of(2, 4));
  std::vector<WarpPayload*> loads, theirs;
  for (Desk* const one : {&desk, &copy})
    for (std::uint32_t i = 0; i < 3; ++i) {
      auto& list = one == &desk ? loads : theirs;
      list.push_back(&one->load(WritebackPort::kGlobal, 2 + i));
      list.push_back(&one->load(WritebackPort::kShared, 1, 4 * i));
    }
  for (int i = 0; i < 4; ++i) desk.step();
  REQUIRE(desk.work.back() == WritebackPort::kWritesShared);
  desk.step();  // the first half of a piece

  std::stringstream file;
  {
    base::Checkpoint saved(static_cast<std::ostream&>(file));
    for (WarpPayload* load : loads) saved.objects().add(static_cast<protocol::Payload*>(load));
    saved(desk.port);
  }
  base::Checkpoint loaded(static_cast<std::istream&>(file));
  for (WarpPayload* load : theirs) loaded.objects().add(static_cast<protocol::Payload*>(load));
  loaded(copy.port);
  copy.now = desk.now;
  copy.done.clear();
  const std::size_t before = desk.done.size();
  desk.run();
  copy.run();
  REQUIRE(desk.done.size() == before + copy.done.size());
  for (std::size_t i = 0; i < copy.done.size(); ++i) {
    CHECK(desk.done[before + i].second == copy.done[i].second);
    const auto place = std::find(loads.begin(), loads.end(), desk.done[before + i].first) - loads.begin();
    CHECK(theirs[static_cast<std::size_t>(place)] == copy.done[i].first);
  }
}
