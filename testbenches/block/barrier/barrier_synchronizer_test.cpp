// SPDX-License-Identifier: Apache-2.0
#include "models/barrier/barrier_synchronizer.h"

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>

#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::barrier::BarrierParams;
using spica::barrier::BarrierSynchronizer;
using spica::protocol::BarrierIf;
using spica::protocol::BarrierReleaseIf;

namespace {

/// A core that arrives at planned cycles and notes its releases.
class CoreStub final : public spica::base::Component, public BarrierReleaseIf {
 public:
  CoreStub(const sc_core::sc_module_name& name, const spica::base::ClockDomain& clock, unsigned number)
      : Component(name, clock), number_(number) {}

  sc_core::sc_port<BarrierIf> barrier{"barrier"};
  std::vector<std::pair<Cycle, unsigned>> releases;  // cycle, id

  void at(Cycle cycle, unsigned id) {
    plan_.emplace_back(cycle, id);
    wake_at(cycle);
  }
  void release(unsigned id, bool without) override {
    releases.emplace_back(now(), id);
    without_some = without;
  }
  bool without_some = false;  // of the last release
  void tick() override {
    for (; next_ < plan_.size() && plan_[next_].first <= now(); ++next_)
      barrier->arrive(number_, plan_[next_].second);
    if (next_ < plan_.size()) wake_at(plan_[next_].first);
  }
  void reset() override {}
  bool idle() const override { return true; }
  spica::base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  unsigned number_;
  std::vector<std::pair<Cycle, unsigned>> plan_;
  std::size_t next_ = 0;
  spica::base::StatGroup stats_;
};

struct Cluster {
  explicit Cluster(const BarrierParams& p = {}) : params(p), dut("dut", p, bench.clock) {
    bench.add(dut);
    for (unsigned i = 0; i < p.cores; ++i) {
      cores.push_back(std::make_unique<CoreStub>(("core_" + std::to_string(i)).c_str(), bench.clock, i));
      cores.back()->barrier.bind(dut.in);
      dut.release[i].bind(*cores.back());
      bench.add(*cores.back());
    }
  }
  Cycle released(Cycle last_arrival) const {
    return last_arrival + params.table_latency + params.response_latency;
  }
  std::uint64_t stat(const std::string& name) {
    for (const auto& entry : dut.stats().counters())
      if (entry.name == name) return entry.counter.value();
    throw std::logic_error("no statistic " + name);
  }

  Bench bench;
  BarrierParams params;
  BarrierSynchronizer dut;
  std::vector<std::unique_ptr<CoreStub>> cores;
};

using Releases = std::vector<std::pair<Cycle, unsigned>>;

}  // namespace

TEST_CASE("all cores are released together, table and response latency after the last arrival") {
  Cluster c;
  const Cycle arrivals[] = {5, 30, 12, 7};
  for (unsigned core = 0; core < 4; ++core) c.cores[core]->at(arrivals[core], 3);
  c.bench.run_for(c.released(30));
  for (auto& core : c.cores) CHECK(core->releases.empty());
  c.bench.run();
  for (auto& core : c.cores) CHECK(core->releases == Releases{{c.released(30), 3}});
  CHECK(c.dut.idle());
  CHECK(c.bench.clock.asleep());
  CHECK(c.stat("arrivals") == 4);
  CHECK(c.stat("releases") == 1);
  CHECK(c.stat("skew_cycles") == 30 - 5);
  CHECK(c.stat("core_wait_cycles") == (30 - 5) + (30 - 12) + (30 - 7));
}

TEST_CASE("both latencies count") {
  BarrierParams params;
  params.table_latency = 3;
  params.response_latency = 70;
  params.cores = 2;
  Cluster c(params);
  c.cores[0]->at(4, 0);
  c.cores[1]->at(9, 0);
  c.bench.run();
  CHECK(c.cores[0]->releases == Releases{{c.released(9), 0}});
}

TEST_CASE("barriers complete in one cycle are released one per cycle") {
  Cluster c;
  for (auto& core : c.cores)
    for (const unsigned id : {6u, 1u, 4u}) core->at(10, id);
  c.bench.run();
  for (auto& core : c.cores)
    CHECK(core->releases == Releases{{c.released(10), 1}, {c.released(11), 4}, {c.released(12), 6}});
}

TEST_CASE("a core may arrive at the next use of an id as soon as it is released") {
  Cluster c;
  for (auto& core : c.cores) core->at(10, 0);
  for (auto& core : c.cores) core->at(c.released(10), 0);
  c.bench.run();
  for (auto& core : c.cores)
    CHECK(core->releases == Releases{{c.released(10), 0}, {c.released(c.released(10)), 0}});
  CHECK(c.stat("lost_arrivals") == 0);
}

TEST_CASE("a missing core is named, and a repeated arrival does not stand in for it") {
  Cluster c;
  c.cores[0]->at(5, 2);
  c.cores[2]->at(6, 2);
  c.cores[3]->at(7, 2);
  c.cores[0]->at(8, 2);
  c.bench.run();
  CHECK(c.bench.clock.asleep());
  CHECK_FALSE(c.dut.idle());
  CHECK(c.dut.arrived(2) == 0b1101);
  CHECK(c.dut.missing(2) == 0b0010);
  CHECK(c.dut.missing(1) == 0);
  CHECK(c.stat("lost_arrivals") == 1);
  std::ostringstream out;
  c.dut.dump_state(out);
  CHECK_THAT(out.str(),
             Catch::Contains("barrier 2: open since cycle 6, arrived cores 0 2 3, missing cores 1\n"));
  CHECK_THAT(out.str(), !Catch::Contains("barrier 1"));
}

TEST_CASE("only the low bits of an id are wired") {
  BarrierParams params;
  params.cores = 1;
  Cluster c(params);
  c.cores[0]->at(5, 8 + 3);
  c.bench.run();
  CHECK(c.cores[0]->releases == Releases{{c.released(5), 3}});
}

TEST_CASE("a reset drops arrivals and releases on the way, statistics stay") {
  Cluster c;
  for (auto& core : c.cores) core->at(5, 0);
  c.cores[0]->at(5, 1);
  c.bench.run_for(c.released(5));
  CHECK_FALSE(c.dut.idle());
  c.dut.reset();
  CHECK(c.dut.idle());
  c.bench.run_for(100);
  for (auto& core : c.cores) CHECK(core->releases.empty());
  CHECK(c.dut.arrived(1) == 0);
  CHECK(c.stat("releases") == 1);
  const auto t = static_cast<Cycle>(sc_core::sc_time_stamp() / c.bench.clock.period()) + 5;
  for (auto& core : c.cores) core->at(t, 1);
  c.bench.run();
  for (auto& core : c.cores) CHECK(core->releases == Releases{{c.released(t), 1}});
}

TEST_CASE("random rounds of all ids: everybody is released once per round, after the last arrival") {
  Cluster c;
  std::mt19937 random(5);
  constexpr unsigned kRounds = 20;
  constexpr Cycle kSlot = 200;  // longer than arrivals and releases of one round
  std::vector<Cycle> last(8 * kRounds, 0);
  for (auto& core : c.cores) {
    std::vector<std::pair<Cycle, unsigned>> plan;
    for (unsigned round = 0; round < kRounds; ++round)
      for (unsigned id = 0; id < 8; ++id) {
        const Cycle cycle = 1 + round * kSlot + random() % 100;
        plan.emplace_back(cycle, id);
        last[round * 8 + id] = std::max(last[round * 8 + id], cycle);
      }
    std::sort(plan.begin(), plan.end());
    for (const auto& [cycle, id] : plan) core->at(cycle, id);
  }
  c.bench.run();
  for (auto& core : c.cores) {
    REQUIRE(core->releases == c.cores[0]->releases);
    REQUIRE(core->releases.size() == 8 * kRounds);
  }
  std::vector<unsigned> count(8, 0);
  for (std::size_t i = 0; i < c.cores[0]->releases.size(); ++i) {
    const auto [cycle, id] = c.cores[0]->releases[i];
    const Cycle earliest = c.released(last[count[id]++ * 8 + id]);
    CHECK(cycle >= earliest);
    CHECK(cycle < earliest + 8);
    if (i > 0) CHECK(cycle > c.cores[0]->releases[i - 1].first);
  }
  CHECK(c.stat("lost_arrivals") == 0);
  CHECK(c.dut.idle());
}
