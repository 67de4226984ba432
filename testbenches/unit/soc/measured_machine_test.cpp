// SPDX-License-Identifier: Apache-2.0
// What is measured of a machine: its blocks by name and in order, lines of cores on demand, and accounts that must be
// complete.
#include "platform/machine/soc/measured_machine.h"

#include <algorithm>
#include <string>

#include "testbenches/unit/soc/host_system.h"

using namespace spica;
using namespace spica::testbench;
using Catch::Contains;

namespace {

/// Works in the cycles that are multiples of ten. Its counter is late until catch_up() is called.
class Worker final : public base::Component, public protocol::LineProfiled, private protocol::LineProfile {
 public:
  Worker(const sc_core::sc_module_name& name, const base::ClockDomain& clock, bool is_honest = true)
      : Component(name, clock), is_honest_(is_honest) {}

  void tick() override {
    life_.charge_cycle(1, 0, now());
    ++ticks_;
    wake_at(now() + 10);
  }
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void settle_stats() override {
    if (is_honest_) Component::settle_stats();
  }
  void catch_up() override {
    work_ += ticks_;
    ticks_ = 0;
  }
  const base::BlockType& type() const override {
    static const base::BlockType worker = [] {
      base::BlockType type;
      type.name = "worker_of_the_test";
      return type;
    }();
    return worker;
  }
  void dump_state(std::ostream&) const override {}

  void start_profile() override { is_profiled_ = true; }
  const protocol::LineProfile* profile() const override { return is_profiled_ ? this : nullptr; }
  std::uint64_t work() const { return work_.value(); }

 private:
  protocol::LineRows rows(base::Cycle) const override { return {{0x80, {}}}; }

  const bool is_honest_;
  bool is_profiled_ = false;
  std::uint64_t ticks_ = 0;
  base::StatGroup stats_;
  base::CycleAccount& life_ = stats_.account("life", "what it does", {"rest", "work"});
  base::Counter work_{stats_, "work", base::Unit::kCount, "cycles with work"};
};

/// Two workers on the clock of a machine, measured beside its own blocks.
struct Workshop final : sc_core::sc_module {
  Workshop(const sc_core::sc_module_name& name, soc::Soc& soc, bool is_honest)
      : sc_module(name),
        measured(soc),
        first("first", soc.clock()),
        second("second", soc.clock(), is_honest) {
    measured.begin({&second, &first}, {&first, &second});
    soc.clock().add(first);
    soc.clock().add(second);
  }
  soc::MeasuredMachine measured;
  Worker first, second;
};

struct Bench {
  explicit Bench(bool is_honest = true)
      : soc("machine", hosted_alone()), workshop("workshop", soc, is_honest) {
    soc.fault.bind(owner);
    soc.console.bind(owner);
    workshop.first.wake_at(10);
    workshop.second.wake_at(10);
  }
  static soc::SocParams hosted_alone() {
    soc::SocParams params;
    params.cluster.cores = 1;
    return params;
  }
  Owner owner{"owner"};
  soc::Soc soc;
  Workshop workshop;
  soc::MeasuredMachine& measured = workshop.measured;
};

}  // namespace

TEST_CASE("measured blocks keep their order, have names within the machine, and their types become known") {
  Bench bench;
  CHECK(&bench.measured.machine() == static_cast<soc::Machine*>(&bench.soc));
  REQUIRE(bench.measured.components().size() == 2);
  CHECK(bench.measured.components()[0] == &bench.workshop.second);
  CHECK(bench.measured.short_name(bench.workshop.first) == "first");
  const base::Component& of_another = *bench.soc.measured().components().front();
  CHECK(bench.measured.short_name(of_another) == std::string("machine.") + of_another.basename());
  const auto& known = base::block_types();
  CHECK(std::count(known.begin(), known.end(), &bench.workshop.first.type()) == 1);
}

TEST_CASE("lines are counted from when they are asked for, by core") {
  Bench bench;
  CHECK(bench.measured.profile(0) == nullptr);
  bench.measured.start_profile();
  CHECK(bench.measured.profile(0) == bench.workshop.first.profile());
  CHECK(bench.measured.profile(1) == bench.workshop.second.profile());
  CHECK(bench.measured.profile(1)->rows(0).count(0x80) == 1);
}

TEST_CASE("counters that lag are brought up to date, and no time is charged for it") {
  Bench bench;
  bench.soc.clock().run_until(35);
  CHECK(bench.workshop.first.work() == 0);
  const std::uint64_t charged = bench.workshop.first.stats().accounts().front().total();
  bench.measured.catch_up();
  CHECK(bench.workshop.first.work() == 3);
  CHECK(bench.workshop.second.work() == 3);
  CHECK(bench.workshop.first.stats().accounts().front().total() == charged);
}

TEST_CASE("at the end each account has each cycle once, in the run and in the timed region") {
  Bench bench;
  bench.soc.clock().run_until(20);
  bench.measured.region().begin_here();
  bench.soc.clock().run_until(55);
  bench.measured.settle();
  const base::CycleAccount& life = bench.workshop.first.stats().accounts().front();
  CHECK(life.start() == 20);
  CHECK(life.total() == bench.workshop.first.now() - 20);
  CHECK(bench.measured.region().window().cycles(life)[1] == 4);  // 20, 30, 40, 50
}

TEST_CASE("an account with too few cycles ends the run with its name") {
  Bench bench(false);
  bench.soc.clock().run_until(55);
  CHECK_THROWS_WITH(bench.measured.settle(), Contains("workshop.second: the account 'life' sums to"));
}
