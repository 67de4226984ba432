// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/work_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "testbenches/support/catch.h"

using namespace spica::dispatcher;
using spica::protocol::GridLaunch;

namespace {

DispatcherParams machine(unsigned clusters) {
  DispatcherParams p;
  p.clusters = clusters;
  p.cores = 4;
  p.warps = 8;
  p.lanes = 8;
  p.shared_base = 0xFF000000;
  p.shared_bytes = 0x10000;
  p.barriers = 8;
  return p;
}

GridLaunch launch(std::array<std::uint32_t, 3> grid, std::uint32_t threads, std::uint32_t shared = 0) {
  GridLaunch l;
  l.startup = 0x80000000;
  l.entry = 0x80000100;
  l.argument = 0x9FFF0000;
  l.grid = grid;
  l.block = {threads, 1, 1};
  l.shared_bytes = shared;
  return l;
}

/// All work groups that have room now.
std::vector<WorkGroups::Dispatched> fill(WorkGroups& groups) {
  std::vector<WorkGroups::Dispatched> dispatched;
  while (auto next = groups.dispatch()) dispatched.push_back(*next);
  return dispatched;
}

void end(WorkGroups& groups, const WorkGroups::Dispatched& dispatched) {
  for (const WarpStart& start : dispatched.starts) groups.ended(start.core, start.warp);
}

}  // namespace

TEST_CASE(
    "the warps of a work group are on neighbouring cores, each with its rank and the lanes it has threads for",
    "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(launch({1, 1, 1}, 60));
  const auto dispatched = groups.dispatch();
  REQUIRE(dispatched);
  REQUIRE(dispatched->starts.size() == 8);
  for (unsigned rank = 0; rank < 8; ++rank) {
    const WarpStart& start = dispatched->starts[rank];
    CHECK(start.core == rank % 4);
    CHECK(start.warp == rank / 4);
    CHECK(start.lanes == (rank < 7 ? 0xFFu : 0x0Fu));
    CHECK(start.pc == 0x80000000);
    CHECK(start.group.rank == rank);
    CHECK(start.group.warps == 8);
    CHECK(start.group.warps_of_core == 2);
    CHECK(start.group.argument == 0x9FFF0000);
  }
  CHECK_FALSE(groups.dispatch());
  CHECK(groups.waiting() == 0);
}

namespace {

/// These work groups, some of them twice.
class Chosen final : public spica::protocol::GroupSequenceIf {
 public:
  explicit Chosen(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
  bool any() const override { return at_ != numbers_.size(); }
  std::uint64_t take() override { return numbers_.at(at_++); }

 private:
  std::vector<std::uint64_t> numbers_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("a grid that follows a sequence ends with the last work group of the sequence", "[dispatcher]") {
  const std::vector<std::uint64_t> numbers{0, 1, 7, 8, 4, 4, 11};
  Chosen chosen(numbers);
  WorkGroups groups(machine(1));
  groups.follow(chosen);
  auto grid = launch({3, 2, 2}, 64);
  grid.id = 9;
  groups.launch(grid);
  std::vector<std::uint64_t> seen;
  std::optional<std::uint32_t> over;
  for (auto next = groups.dispatch(); next; next = groups.dispatch()) {
    const auto& group = next->starts.front().group;
    seen.push_back(group.number());
    CHECK(next->first == (seen.size() == 1));
    CHECK(next->last == (seen.size() == numbers.size()));
    CHECK_FALSE(over);
    for (const WarpStart& start : next->starts)
      if (const auto id = groups.ended(start.core, start.warp)) over = id;
  }
  CHECK(seen == numbers);
  CHECK(over == 9u);
  CHECK(groups.empty());
}

TEST_CASE("work groups are dispatched in the order x, y, z, each once", "[dispatcher]") {
  WorkGroups groups(machine(2));
  groups.launch(launch({3, 2, 2}, 8));
  std::vector<std::array<std::uint32_t, 3>> seen;
  for (const auto& dispatched : fill(groups)) seen.push_back(dispatched.starts.front().group.index);
  REQUIRE(seen.size() == 12);
  for (std::uint32_t i = 0; i < 12; ++i)
    CHECK(seen[i] == std::array<std::uint32_t, 3>{i % 3, i / 3 % 2, i / 6});
}

TEST_CASE("a work group goes to the cluster with most free warps, the lowest of several", "[dispatcher]") {
  WorkGroups groups(machine(3));
  groups.launch(launch({6, 1, 1}, 64));
  std::vector<unsigned> clusters;
  for (const auto& dispatched : fill(groups)) clusters.push_back(dispatched.cluster);
  CHECK(clusters == std::vector<unsigned>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("work groups of fewer warps than cores go to the cores with most room", "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(launch({5, 1, 1}, 8));
  std::vector<unsigned> cores;
  for (const auto& dispatched : fill(groups)) cores.push_back(dispatched.starts.front().core);
  CHECK(cores == std::vector<unsigned>{0, 1, 2, 3, 0});
}

TEST_CASE("occupancy is what a cluster gets at once, whatever the limit", "[dispatcher]") {
  const unsigned clusters = 3;
  for (const std::uint32_t threads : {8u, 64u, 72u, 128u, 256u})
    for (const std::uint32_t shared : {0u, 0x1000u, 0x3000u, 0x10000u})
      for (const std::uint32_t barriers : {0u, 1u, 3u})
        for (const std::uint64_t rows : {0u, 512u}) {
          DispatcherParams params = machine(clusters);
          params.register_rows = rows;
          GridLaunch one = launch({1000, 1, 1}, threads, shared);
          one.barriers = barriers;
          one.registers = 64;
          WorkGroups groups(params);
          groups.launch(one);
          CHECK(fill(groups).size() == clusters * occupancy(params, one));
        }
}

TEST_CASE("with one active kernel a grid waits until all work groups of the one before have ended",
          "[dispatcher]") {
  DispatcherParams params = machine(1);
  params.active_kernels = 1;
  WorkGroups groups(params);
  GridLaunch one = launch({1, 1, 1}, 8);
  one.id = 7;
  groups.launch(one);
  groups.launch(launch({1, 1, 1}, 16));
  const auto first = fill(groups);
  REQUIRE(first.size() == 1);
  CHECK(groups.waiting() == 1);
  CHECK(groups.ended(first[0].starts[0].core, first[0].starts[0].warp) == 7u);
  const auto second = fill(groups);
  REQUIRE(second.size() == 1);
  CHECK(second[0].starts.size() == 2);
}

namespace {

GridLaunch kernel(std::uint32_t id, std::uint32_t groups, std::uint32_t threads, std::uint32_t shared = 0) {
  GridLaunch result = launch({groups, 1, 1}, threads, shared);
  result.id = id;
  return result;
}

/// The kernels of all work groups that have room now, in their order.
std::vector<std::uint32_t> kernels(WorkGroups& groups) {
  std::vector<std::uint32_t> ids;
  for (const auto& dispatched : fill(groups)) ids.push_back(dispatched.grid);
  return ids;
}

}  // namespace

TEST_CASE("several kernels take turns, or the oldest is dispatched first", "[dispatcher]") {
  for (const Policy policy : {Policy::kRoundRobin, Policy::kOldestFirst}) {
    DispatcherParams params = machine(1);
    params.policy = policy;
    params.active_kernels = 2;
    WorkGroups groups(params);
    groups.launch(kernel(1, 3, 8));
    groups.launch(kernel(2, 2, 8));
    groups.launch(kernel(3, 1, 8));  // waits for one of the two to end
    CHECK(kernels(groups) == (policy == Policy::kRoundRobin ? std::vector<std::uint32_t>{1, 2, 1, 2, 1}
                                                            : std::vector<std::uint32_t>{1, 1, 1, 2, 2}));
  }
}

TEST_CASE("a work group that fits does not wait for one of another kernel that does not", "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(kernel(1, 2, 8, 0x9000));
  groups.launch(kernel(2, 2, 8, 0x1000));
  CHECK(kernels(groups) == std::vector<std::uint32_t>{1, 2, 2});
  CHECK(groups.waiting() == 1);
}

TEST_CASE("the first and the last work group of a kernel are told, and its end", "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(kernel(5, 3, 8));
  const auto dispatched = fill(groups);
  REQUIRE(dispatched.size() == 3);
  CHECK((dispatched[0].first && !dispatched[0].last));
  CHECK((!dispatched[1].first && !dispatched[1].last));
  CHECK((!dispatched[2].first && dispatched[2].last));
  const auto end = [&](unsigned i) {
    return groups.ended(dispatched[i].starts[0].core, dispatched[i].starts[0].warp);
  };
  CHECK_FALSE(end(2));
  CHECK_FALSE(end(0));
  CHECK(end(1) == 5u);
  CHECK(groups.empty());
}

TEST_CASE("a kernel may begin in its cycle and not before; one that waits for others from their end on",
          "[dispatcher]") {
  DispatcherParams params = machine(1);
  params.active_kernels = 1;
  WorkGroups groups(params);
  groups.launch(kernel(1, 1, 8), 10);
  groups.launch(kernel(2, 1, 8), 10);
  CHECK_FALSE(groups.dispatch(9));
  CHECK(groups.next_ready(9) == 10);
  CHECK(groups.waiting(9) == 0);
  CHECK(groups.waiting(10) == 1);
  const auto first = groups.dispatch(10);
  REQUIRE(first);
  CHECK_FALSE(groups.dispatch(1000));
  groups.ended(first->starts[0].core, first->starts[0].warp, 50);
  CHECK_FALSE(groups.dispatch(49));
  CHECK(groups.dispatch(50));
}

TEST_CASE("with one kernel per cluster a cluster is a kernel's until its last work group there has ended",
          "[dispatcher]") {
  DispatcherParams params = machine(2);
  params.mix = Mix::kOneKernel;
  WorkGroups groups(params);
  groups.launch(kernel(1, 3, 8));
  groups.launch(kernel(2, 3, 8));
  groups.launch(kernel(3, 1, 8));
  const auto dispatched = fill(groups);
  REQUIRE(dispatched.size() == 6);
  for (const auto& one : dispatched) CHECK(one.cluster == one.grid - 1);
  end(groups, dispatched[0]);
  end(groups, dispatched[2]);
  CHECK(fill(groups).empty());
  end(groups, dispatched[4]);  // the last one of kernel 1
  const auto third = fill(groups);
  REQUIRE(third.size() == 1);
  CHECK(third[0].cluster == 0);
}

TEST_CASE("the matrix units of a cluster belong to one work group at a time", "[dispatcher]") {
  DispatcherParams params = machine(1);
  params.matrix_units = 1;
  GridLaunch owner = kernel(1, 2, 8);
  owner.matrix_unit = 1;
  WorkGroups groups(params);
  groups.launch(owner);
  groups.launch(kernel(2, 1, 8));
  const auto dispatched = fill(groups);
  REQUIRE(dispatched.size() == 2);
  CHECK(dispatched[1].grid == 2);
  end(groups, dispatched[0]);
  CHECK(kernels(groups) == std::vector<std::uint32_t>{1});
  params.matrix_units = 0;
  CHECK(why_not(params, owner).at(0) == "a work group needs a matrix unit, a cluster has none");
}

TEST_CASE("in turn, 81 work groups on 80 clusters go once to each, and then to the first", "[dispatcher]") {
  for (const unsigned of_port : {1u, 2u}) {
    DispatcherParams params = machine(80);
    params.placement = Placing::kRoundRobin;
    params.clusters_per_port = of_port;
    WorkGroups groups(params);
    groups.launch(launch({81, 1, 1}, 8));
    std::vector<unsigned> count(80, 0), clusters;
    for (const auto& dispatched : fill(groups)) {
      ++count[dispatched.cluster];
      clusters.push_back(dispatched.cluster);
    }
    CHECK(clusters.size() == 81);
    CHECK(count[0] == 2);
    CHECK(std::count(count.begin(), count.end(), 1) == 79);
    // Every port gets one before any gets its second.
    for (unsigned i = 0; i < 80 / of_port; ++i) CHECK(clusters[i] == i * of_port);
    if (of_port == 2) CHECK(clusters[40] == 1);
  }
}

TEST_CASE("in turn, 160 work groups on 80 clusters are two on each", "[dispatcher]") {
  DispatcherParams params = machine(80);
  params.placement = Placing::kRoundRobin;
  params.clusters_per_port = 2;
  WorkGroups groups(params);
  groups.launch(launch({160, 1, 1}, 8));
  std::vector<unsigned> count(80, 0);
  for (const auto& dispatched : fill(groups)) ++count[dispatched.cluster];
  CHECK(count == std::vector<unsigned>(80, 2));
}

TEST_CASE("a kernel runs on the clusters that it may run on", "[dispatcher]") {
  GridLaunch some = kernel(1, 4, 256);
  some.clusters = {1, 2};
  WorkGroups groups(machine(4));
  groups.launch(some);
  std::vector<unsigned> clusters;
  for (const auto& dispatched : fill(groups)) clusters.push_back(dispatched.cluster);
  CHECK(clusters == std::vector<unsigned>{1, 2});
  CHECK(why_not(machine(1), some).at(0) == "its clusters, 1-2, are none of the machine, which has 0-0");
}

namespace {

/// What of the clusters is taken by the work groups that run.
void check_room(const DispatcherParams& params, const std::map<std::uint32_t, GridLaunch>& grids,
                const std::vector<WorkGroups::Dispatched>& running) {
  std::set<std::pair<unsigned, unsigned>> warps;
  std::map<unsigned, std::uint64_t> rows;
  std::map<unsigned, std::map<std::uint32_t, std::uint32_t>> shared, barriers;
  std::map<unsigned, std::set<std::uint32_t>> kernels;
  std::map<unsigned, unsigned> owners;
  for (const auto& dispatched : running) {
    const GridLaunch& grid = grids.at(dispatched.grid);
    kernels[dispatched.cluster].insert(dispatched.grid);
    owners[dispatched.cluster] += grid.matrix_unit;
    for (const WarpStart& start : dispatched.starts) {
      CHECK(warps.insert({start.core, start.warp}).second);
      CHECK(start.core / 4 == dispatched.cluster);
      rows[start.core] += grid.registers;
    }
    if (grid.shared_bytes != 0)
      shared[dispatched.cluster][dispatched.place.shared_offset] = grid.shared_bytes;
    if (grid.barriers != 0) barriers[dispatched.cluster][dispatched.place.first_barrier] = grid.barriers;
  }
  for (const auto& [core, used] : rows) CHECK((params.register_rows == 0 || used <= params.register_rows));
  for (const auto& [cluster, ids] : kernels) CHECK((params.mix == Mix::kAllow || ids.size() == 1));
  for (const auto& [cluster, count] : owners) CHECK(count <= params.matrix_units);
  const auto apart = [](const auto& pieces, std::uint64_t end) {
    std::uint64_t before = 0;
    for (const auto& [begin, length] : pieces) {
      CHECK(begin >= before);
      before = begin + length;
    }
    CHECK(before <= end);
  };
  for (const auto& [cluster, pieces] : shared) apart(pieces, params.shared_bytes);
  for (const auto& [cluster, ids] : barriers) apart(ids, params.barriers);
}

}  // namespace

TEST_CASE(
    "clusters never have more warps, registers, shared memory, barriers or matrix units at work than they have",
    "[dispatcher]") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto below = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    DispatcherParams params = machine(1 + below(4));
    params.register_rows = below(2) != 0 ? 256 : 0;
    params.matrix_units = 1;
    params.active_kernels = 1 + below(4);
    params.policy = below(2) != 0 ? Policy::kRoundRobin : Policy::kOldestFirst;
    params.mix = below(2) != 0 ? Mix::kAllow : Mix::kOneKernel;
    WorkGroups groups(params);
    std::map<std::uint32_t, GridLaunch> grids;
    std::map<std::uint32_t, std::set<std::array<std::uint32_t, 3>>> seen;
    for (std::uint32_t id = 0, count = 1 + below(5); id < count; ++id) {
      GridLaunch grid = launch({1 + below(5), 1 + below(4), 1 + below(3)}, 1 + below(256), below(0x9000));
      grid.id = id;
      grid.registers = 16 + below(64);
      grid.barriers = below(4);
      grid.matrix_unit = below(2);
      if (!why_not(params, grid).empty()) continue;
      grids[id] = grid;
      groups.launch(grid);
    }
    std::vector<WorkGroups::Dispatched> running;
    while (!groups.empty()) {
      for (auto& dispatched : fill(groups)) {
        CHECK(seen[dispatched.grid].insert(dispatched.starts.front().group.index).second);
        running.push_back(std::move(dispatched));
      }
      REQUIRE_FALSE(running.empty());
      check_room(params, grids, running);
      const std::size_t which = below(static_cast<std::uint32_t>(running.size()));
      end(groups, running[which]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    }
    for (const auto& [id, grid] : grids) CHECK(seen[id].size() == grid.groups());
  }
}

TEST_CASE("what no cluster can ever run is said with the numbers that would do", "[dispatcher]") {
  DispatcherParams params = machine(1);
  CHECK(why_not(params, launch({1, 1, 1}, 256)).empty());
  CHECK(why_not(params, launch({1, 1, 1}, 257)).at(0) ==
        "a work group of 257 threads is 33 warps of 8 lanes, a cluster has 32: at most 256 threads");
  CHECK(why_not(params, launch({1, 1, 1}, 8, 0x10001)).at(0) ==
        "a work group needs 65537 bytes of shared memory, a cluster has 65536");
  GridLaunch many = launch({1, 1, 1}, 256);
  many.barriers = 9;
  many.registers = 64;
  params.register_rows = 256;
  const auto reasons = why_not(params, many);
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0] == "a work group needs 9 barriers, a cluster has 8");
  CHECK(reasons[1] ==
        "a work group needs 512 registers per lane of a core (8 warps with 64 each); there are 256");
}

TEST_CASE("a work group leaves a core with its last warp there, unless it ends") {
  WorkGroups groups(machine(1));
  groups.launch(launch({1, 1, 1}, 6 * 8));  // two warps on two of the cores, one on the others
  const auto dispatched = groups.dispatch();
  REQUIRE(dispatched);
  std::map<unsigned, unsigned> left;
  for (const auto& start : dispatched->starts) ++left[start.core];
  std::size_t running = dispatched->starts.size();
  for (const auto& start : dispatched->starts) {
    const auto leaves = groups.leaves(start.core, start.warp);
    CHECK(leaves.has_value() == (--left[start.core] == 0 && --running != 0));
    if (left[start.core] != 0) --running;
    if (leaves) {
      CHECK(leaves->core == start.core);
      CHECK(leaves->first_barrier == dispatched->place.first_barrier);
    }
    groups.ended(start.core, start.warp);
  }
}
