// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <random>

#include "models/isa/instruction.h"
#include "models/multicast/multicast_unit.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;
using spica::multicast::MulticastParams;
using spica::multicast::MulticastUnit;
using spica::multicast::SameSubcore;

namespace {

/// Answers `latency` cycles after it has taken an access; a lane reads its address and how often it has been stored to.
class LaneMemory final : public spica::base::Component, private spica::protocol::RequestHandler {
 public:
  LaneMemory(const sc_core::sc_module_name& name, const spica::base::ClockDomain& clock, std::size_t cores)
      : Component(name, clock), sockets("socket", cores) {
    for (unsigned core = 0; core < cores; ++core) sockets[core].attach(*this, core);
  }
  sc_core::sc_vector<spica::protocol::WarpTargetSocket> sockets;
  std::size_t reads = 0;
  Cycle latency = 10;

  void tick() override {
    for (std::size_t i = 0; i < open_.size();) {
      if (open_[i].due > now()) {
        ++i;
        continue;
      }
      const Item item = open_[i];
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      item.payload->set_response_status(tlm::TLM_OK_RESPONSE);
      sockets[item.port].respond(*item.payload);
    }
    for (const Item& item : open_) wake_at(item.due);
  }
  void reset() override { open_.clear(); }
  bool idle() const override { return open_.empty(); }
  spica::base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  struct Item {
    Payload* payload;
    unsigned port;
    Cycle due;
  };
  bool on_request(unsigned port, Payload& payload) override {
    auto& access = *spica::protocol::access_of(payload);
    if (payload.is_read()) {
      ++reads;
      for (unsigned lane = 0; lane < 32; ++lane)
        access.data[lane] = access.address[lane] + 1'000'000 * stored_[access.address[lane]];
    } else {
      for (unsigned lane = 0; lane < 32; ++lane) ++stored_[access.address[lane]];
    }
    open_.push_back({&payload, port, now() + latency});
    wake_at(now() + latency);
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }

  std::vector<Item> open_;
  std::unordered_map<std::uint32_t, std::uint32_t> stored_;
  spica::base::StatGroup stats_;
};

struct Cores {
  explicit Cores(Bench& bench, const MulticastParams& params = {}, const std::string& suffix = "")
      : memory(("memory" + suffix).c_str(), bench.clock, params.cores),
        dut(("dut" + suffix).c_str(), params, bench.clock) {
    bench.add(memory);
    bench.add(dut);
    for (unsigned core = 0; core < params.cores; ++core) {
      dut.out[core].bind(memory.sockets[core]);
      agents.push_back(std::make_unique<WarpTrafficAgent>(("agent_" + std::to_string(core) + suffix).c_str(),
                                                          bench.clock));
      agents.back()->socket.bind(dut.in[core]);
      bench.add(*agents.back());
    }
  }
  WarpPayload& access(tlm::tlm_command command, unsigned core, unsigned warp, Cycle cycle,
                      std::uint32_t address, std::uint32_t stride = 4) {
    std::vector<std::uint32_t> addresses;
    for (unsigned lane = 0; lane < 32; ++lane) addresses.push_back(address + lane * stride);
    WarpPayload& payload = agents[core]->warp(command, ~0u, addresses);
    payload.info.origin.warp = static_cast<std::uint8_t>(warp);
    agents[core]->at(cycle, payload);
    return payload;
  }
  /// A marked load, or an access of one.
  WarpPayload& load(unsigned core, unsigned warp, Cycle cycle, std::uint32_t address,
                    std::uint32_t stride = 4, std::uint8_t part = 0, bool last = true,
                    std::uint8_t destination = 6) {
    WarpPayload& payload = access(tlm::TLM_READ_COMMAND, core, warp, cycle, address, stride);
    payload.access.sharing = {destination, 5, part, last, 0};
    return payload;
  }
  Cycle done(unsigned core, const WarpPayload& payload) const { return agents[core]->done(payload); }
  std::uint64_t count(const spica::base::Counter& counter) const { return counter.value(); }
  /// Each marked load has ended once.
  void check_ends() {
    const auto& stats = dut.stats();
    CHECK(stats.loads.value() == 2 * stats.multicasts.value() + stats.fallbacks.value());
    CHECK(dut.idle());
  }

  LaneMemory memory;
  MulticastUnit dut;
  std::vector<std::unique_ptr<WarpTrafficAgent>> agents;
};

}  // namespace

TEST_CASE("two loads that are the same are one read, whose data both get in one cycle") {
  Bench bench;
  Cores cores(bench);
  WarpPayload& first = cores.load(0, 3, 5, 0x100);
  WarpPayload& second = cores.load(2, 1, 20, 0x100);
  bench.run();
  CHECK(cores.memory.reads == 1);
  // Compared in cycle 21, enabled in 22, read from 22 to 32.
  CHECK(cores.done(2, second) == 32);
  CHECK(cores.done(0, first) == 32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(first.access.data[lane] == 0x100 + 4 * lane);
    CHECK(second.access.data[lane] == 0x100 + 4 * lane);
  }
  CHECK(cores.dut.stats().multicasts.value() == 1);
  CHECK(cores.dut.stats().bytes_read.value() == 128);
  CHECK(cores.dut.stats().bytes_saved.value() == 128);
  CHECK(cores.dut.stats().max_fill.value() == 1);
  CHECK(cores.dut.stats().wait_cycles.value() == 21 - 6);
  cores.check_ends();
}

TEST_CASE("of two warps of one core the second gets the data a cycle later") {
  Bench bench;
  Cores cores(bench);
  WarpPayload& first = cores.load(0, 0, 5, 0x100);
  WarpPayload& second = cores.load(0, 1, 20, 0x100);
  bench.run();
  CHECK(cores.memory.reads == 1);
  CHECK(cores.dut.stats().multicasts.value() == 1);
  CHECK(cores.done(0, first) == cores.done(0, second) + 1);
  cores.check_ends();
}

TEST_CASE("where warps of one core may not share, they do not") {
  Bench bench;
  MulticastParams params;
  params.same_subcore = SameSubcore::kRefuse;
  Cores cores(bench, params);
  cores.load(0, 0, 5, 0x100);
  cores.load(0, 1, 20, 0x100);
  cores.load(1, 0, 30, 0x100);
  bench.run();
  CHECK(cores.memory.reads == 2);
  CHECK(cores.dut.stats().multicasts.value() == 1);
  cores.check_ends();
}

TEST_CASE("a load without a partner goes alone after the timeout, or soon when its warp waits for it") {
  Bench bench;
  MulticastParams params;
  params.drain_timeout = 7;
  Cores cores(bench, params);
  WarpPayload& late = cores.load(0, 0, 5, 0x100);
  WarpPayload& drained = cores.load(1, 2, 5, 0x200);
  WarpPayload& other = cores.load(1, 3, 6, 0x300);
  bench.run_for(30);
  cores.dut.drain(1, 1u << 2);
  bench.run();
  CHECK(cores.done(0, late) == 6 + 512 + 10);
  CHECK(cores.done(1, drained) == 30 + 7 + 10);
  CHECK(cores.done(1, other) > 512);
  CHECK(cores.dut.stats().fallbacks_timeout.value() == 2);
  CHECK(cores.dut.stats().fallbacks_drain.value() == 1);
  cores.check_ends();
}

TEST_CASE("with a long timeout a load waits until somebody waits for it") {
  Bench bench;
  MulticastParams params;
  params.timeout = 100'000;
  Cores cores(bench, params);
  WarpPayload& load = cores.load(0, 0, 5, 0x100);
  bench.run_for(10'000);
  CHECK(cores.done(0, load) == kNever);
  cores.dut.drain(0, ~0u);
  bench.run_for(100);
  CHECK(cores.done(0, load) != kNever);
  cores.check_ends();
}

TEST_CASE("a store of a warp lets its loads go first, and a load behind it goes alone") {
  Bench bench;
  Cores cores(bench);
  WarpPayload& before = cores.load(0, 0, 5, 0x100);
  cores.access(tlm::TLM_WRITE_COMMAND, 0, 0, 8, 0x100);
  WarpPayload& behind = cores.load(0, 0, 9, 0x100);
  WarpPayload& plain = cores.access(tlm::TLM_READ_COMMAND, 0, 1, 60, 0x100);
  bench.run();
  CHECK(before.access.data[1] == 0x104);
  CHECK(behind.access.data[1] == 1'000'000 + 0x104);
  CHECK(cores.done(0, plain) == 70);  // not marked: no delay
  CHECK(cores.dut.stats().fallbacks_store.value() == 2);
  cores.check_ends();
}

TEST_CASE("a full table is passed by") {
  Bench bench;
  MulticastParams params;
  params.entries = 2;
  Cores cores(bench, params);
  for (unsigned i = 0; i < 4; ++i) cores.load(0, i, 5 + i, 0x1000 * i);
  for (unsigned i = 0; i < 2; ++i) cores.load(1, i, 30 + i, 0x1000 * i);
  bench.run();
  CHECK(cores.dut.stats().fallbacks_full.value() == 2);
  CHECK(cores.dut.stats().multicasts.value() == 2);
  CHECK(cores.dut.stats().max_fill.value() == 2);
  cores.check_ends();
}

TEST_CASE("the same key with other addresses in the other lanes is no match") {
  Bench bench;
  Cores cores(bench);
  WarpPayload& narrow = cores.load(0, 0, 5, 0x100, 4);
  WarpPayload& wide = cores.load(1, 0, 8, 0x100, 8);
  bench.run();
  CHECK(cores.dut.stats().false_matches.value() == 1);
  CHECK(narrow.access.data[31] == 0x100 + 31 * 4);
  CHECK(wide.access.data[31] == 0x100 + 31 * 8);
  cores.check_ends();
}

TEST_CASE("a load of several accesses is one entry, and its partner may still be coming") {
  Bench bench;
  Cores cores(bench);
  std::vector<WarpPayload*> parts;
  for (std::uint8_t part = 0; part < 4; ++part)
    for (const unsigned core : {0u, 3u})
      parts.push_back(&cores.load(core, 0, 5 + 2 * part + core * 3, 0x100 + 128u * part, 4, part, part == 3));
  bench.run();
  CHECK(cores.memory.reads == 4);
  CHECK(cores.dut.stats().loads.value() == 2);
  CHECK(cores.dut.stats().multicasts.value() == 1);
  CHECK(cores.dut.stats().max_fill.value() == 1);
  for (std::size_t i = 0; i < parts.size(); ++i)
    CHECK(parts[i]->access.data[3] == 0x100 + 128 * (i / 2) + 12);
  cores.check_ends();
}

TEST_CASE("what is left of a pair of which one stops coming goes alone") {
  Bench bench;
  MulticastParams params;
  params.drain_timeout = 5;
  Cores cores(bench, params);
  for (std::uint8_t part = 0; part < 4; ++part)
    cores.load(0, 0, 5 + part, 0x100 + 128u * part, 4, part, part == 3);
  for (std::uint8_t part = 0; part < 4; ++part)
    cores.load(1, 0, part < 2 ? 20 + part : 100 + part, 0x100 + 128u * part, 4, part, part == 3);
  bench.run_for(60);
  cores.dut.drain(0, 1);
  bench.run();
  CHECK(cores.memory.reads == 2 + 2 + 2);
  CHECK(cores.dut.stats().multicasts.value() == 0);
  CHECK(cores.dut.stats().fallbacks.value() == 2);
  CHECK(cores.dut.stats().bytes_saved.value() == 2 * 128);
  cores.check_ends();
}

TEST_CASE("a load does not wait for ever for queued ones that have not come wholly") {
  Bench bench;
  MulticastParams params;
  params.queue = 1;
  params.timeout = 100;
  Cores cores(bench, params);
  for (const unsigned core : {0u, 1u}) cores.load(core, 0, 5 + core, 0x100, 4, 0, false);
  WarpPayload& behind = cores.load(0, 1, 30, 0x300);
  for (const unsigned core : {0u, 1u})
    cores.load(core, 0, 2000, 0x180, 4, 1, true);  // as if it had to wait until that one is answered
  bench.run();
  CHECK(cores.done(0, behind) == 30 + 1 + 100 + 10);
  CHECK(cores.dut.stats().fallbacks_timeout.value() > 0);
  cores.check_ends();
}

TEST_CASE("random traffic: each access is answered once with the right data, whatever the sizes") {
  Bench bench;
  std::vector<std::unique_ptr<Cores>> machines;
  std::vector<std::pair<std::pair<Cores*, unsigned>, WarpPayload*>> sent;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
    MulticastParams params;
    params.entries = 1u << draw(6);
    params.queue = 1 + draw(8);
    params.compare_latency = 1 + draw(4);
    params.enable_latency = draw(4);
    params.timeout = 20 + draw(100);
    params.drain_timeout = draw(70);
    params.same_subcore = draw(2) == 0 ? SameSubcore::kAllow : SameSubcore::kRefuse;
    machines.push_back(std::make_unique<Cores>(bench, params, "_" + std::to_string(seed)));
    Cores& cores = *machines.back();
    cores.memory.latency = 1 + draw(20);
    for (unsigned core = 0; core < 4; ++core) {
      Cycle cycle = 5;
      for (int i = 0; i < 60; ++i) {
        const unsigned warp = draw(3), which = draw(4);
        const std::uint32_t address = 0x1000 * (draw(5));
        cycle += draw(8);
        if (draw(6) == 0) {
          sent.push_back({{&cores, core}, &cores.access(tlm::TLM_READ_COMMAND, core, warp, cycle, address)});
          continue;
        }
        const unsigned parts = which == 0 ? 1 : 3;
        for (unsigned part = 0; part < parts; ++part)
          sent.push_back(
              {{&cores, core},
               &cores.load(core, warp, cycle + part, address + 128 * part, 4, static_cast<std::uint8_t>(part),
                           part + 1 == parts, static_cast<std::uint8_t>(6 + which))});
        cycle += parts;
      }
    }
  }
  bench.run();
  for (const auto& [from, payload] : sent) {
    REQUIRE(from.first->done(from.second, *payload) != kNever);
    REQUIRE(payload->access.data[7] == payload->access.address[7]);
  }
  for (const auto& cores : machines) cores->check_ends();
}

TEST_CASE("the unit marks the loads that a program wants to share, and no others") {
  Bench bench;
  Cores cores(bench);
  spica::isa::Instruction instruction;
  instruction.opcode = spica::isa::Opcode::kMlds;
  instruction.rs1 = 5;
  spica::protocol::WarpAccess access;
  cores.dut.load({instruction, 7, 2, false}, access);
  CHECK(access.sharing.destination == 8);
  CHECK(access.sharing.source == 5);
  CHECK(access.sharing.part == 2);
  CHECK_FALSE(access.sharing.last);
  spica::protocol::WarpAccess nowhere, other;
  cores.dut.load({instruction, spica::isa::kNoRegister}, nowhere);
  CHECK(nowhere.sharing.destination == 0);
  instruction.opcode = spica::isa::Opcode::kLw;
  cores.dut.load({instruction, 7}, other);
  CHECK(other.sharing.destination == 0);
}
