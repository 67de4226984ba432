// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "models/base/checkpoint.h"
#include "platform/machine/soc/sampler.h"
#include "testbenches/support/catch.h"

using namespace spica;
using soc::LaunchSeries;
using Set = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

namespace {

/// A machine with two counters: ten per cycle, and one per cycle while exactly one kernel runs. The group of a launch
/// is its queue.
struct LaunchingMachine {
  soc::Sampler sampler{[] {}};
  std::vector<protocol::KernelRun> runs;
  base::Cycle now = 0;
  std::uint64_t alone = 0;
  LaunchSeries& series = sampler.add_launches(
      [this] { return LaunchSeries::Counts{10 * now, alone}; }, [this]() -> const auto& { return runs; },
      [](const protocol::KernelRun& run) { return std::to_string(run.queue); });

  unsigned running() const {
    unsigned count = 0;
    for (const protocol::KernelRun& run : runs) count += run.ended == base::kNever;
    return count;
  }
  void advance(base::Cycle cycle) {
    if (running() == 1) alone += cycle - now;
    now = cycle;
  }
  void launch(unsigned queue) { runs.push_back({queue, 0, now, now, base::kNever, 0}); }
  void end(std::size_t launch) { runs[launch].ended = now; }
  void tell() { sampler.at_launches(now); }
};

}  // namespace

TEST_CASE("each time between two boundaries belongs to the launches that ran then") {
  LaunchingMachine machine;
  machine.sampler.begin(0);
  machine.advance(100);
  machine.launch(4);
  machine.tell();
  machine.advance(150);
  machine.launch(2);
  machine.tell();
  machine.advance(170);
  machine.end(0);
  machine.tell();
  machine.advance(200);
  machine.end(1);
  machine.launch(4);  // in the same cycle
  machine.tell();
  machine.advance(210);
  machine.end(2);
  machine.tell();
  machine.advance(250);
  machine.sampler.end(250);

  const auto& rows = machine.series.rows();
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].launches.empty());
  CHECK(rows[0].groups.empty());
  CHECK(rows[0].cycles == 140);  // 100 before, 40 after
  CHECK(rows[0].counts == LaunchSeries::Counts{1400, 0});
  CHECK(rows[1].launches == Set{0});
  CHECK(rows[1].cycles == 50);
  CHECK(rows[1].counts == LaunchSeries::Counts{500, 50});
  CHECK(rows[2].launches == Set{0, 1});
  CHECK(rows[2].groups == Texts{"2", "4"});
  CHECK(rows[2].counts == LaunchSeries::Counts{200, 0});
  CHECK(rows[3].launches == Set{1});
  CHECK(rows[3].cycles == 30);
  CHECK(rows[4].launches == Set{2});
  CHECK(rows[4].groups == Texts{"4"});
  CHECK(rows[4].cycles == 10);
  CHECK(machine.series.total().cycles == 250);
  CHECK(machine.series.total().counts == LaunchSeries::Counts{2500, machine.alone});
}

TEST_CASE("a run that ends before the last boundary has no more time than until then") {
  LaunchingMachine machine;
  machine.sampler.begin(0);
  machine.advance(10);
  machine.launch(0);
  machine.tell();
  machine.advance(60);  // a core of the fast mode that is ahead
  machine.end(0);
  machine.tell();
  machine.sampler.end(50);
  CHECK(machine.series.total().cycles == 50);
  CHECK(machine.series.rows()[1].cycles == 40);
}

TEST_CASE("rows of random launches that overlap add up to the run, also when there are too many of them") {
  std::mt19937 random(7);
  const std::size_t steps = GENERATE(std::size_t{300}, 3 * LaunchSeries::kMostRows);
  LaunchingMachine machine;
  machine.advance(17);
  machine.sampler.begin(17);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < steps; ++i) {
    machine.advance(machine.now + random() % 3);
    if (open.size() < 3 && random() % 2 == 0) {
      open.push_back(machine.runs.size());
      machine.launch(random() % 5);
    } else if (!open.empty()) {
      const std::size_t which = random() % open.size();
      machine.end(open[which]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    machine.tell();
  }
  machine.advance(machine.now + 5);
  machine.sampler.end(machine.now);
  const LaunchSeries::Row total = machine.series.total();
  CHECK(total.cycles == machine.now - 17);
  CHECK(total.counts == LaunchSeries::Counts{10 * (machine.now - 17), machine.alone});
  CHECK(machine.series.rows().size() <= LaunchSeries::kMostRows + 32);
  for (const LaunchSeries::Row& row : machine.series.rows())
    if (row.groups.size() > 1 || row.launches.size() > 1) CHECK(row.counts[1] == 0);
}

TEST_CASE("an account of launches continues from a checkpoint, or has the time before it as one row") {
  std::ostringstream saved;
  {
    LaunchingMachine machine;
    machine.sampler.begin(0);
    machine.advance(10);
    machine.launch(1);
    machine.tell();
    machine.advance(30);
    base::Checkpoint to(saved);
    machine.sampler.checkpoint(to);
  }
  const bool is_known = GENERATE(true, false);
  std::ostringstream without;
  {
    base::Checkpoint to(without);
    soc::Sampler none([] {});
    none.checkpoint(to);
  }
  LaunchingMachine machine;
  machine.now = 10;
  machine.launch(1);
  machine.advance(30);
  machine.sampler.begin(30);
  std::istringstream in(is_known ? saved.str() : without.str());
  base::Checkpoint from(in);
  CHECK(machine.sampler.checkpoint(from));
  machine.advance(45);
  machine.end(0);
  machine.tell();
  machine.advance(50);
  machine.sampler.end(50);
  const auto& rows = machine.series.rows();
  REQUIRE(rows.size() == (is_known ? 2 : 3));
  CHECK(rows[0].before == !is_known);
  CHECK(rows[0].counts[0] == (is_known ? 150u : 300u));
  CHECK(rows[1].launches == Set{0});
  CHECK(rows[1].cycles == (is_known ? 35u : 15u));
  CHECK(machine.series.total().cycles == 50);
  CHECK(machine.series.total().counts == LaunchSeries::Counts{500, machine.alone});
}
