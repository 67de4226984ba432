// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/work_groups.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

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
std::vector<WorkGroups::Given> fill(WorkGroups& groups) {
  std::vector<WorkGroups::Given> given;
  while (auto next = groups.give()) given.push_back(*next);
  return given;
}

void end(WorkGroups& groups, const WorkGroups::Given& given) {
  for (const WarpStart& start : given.starts) groups.ended(start.core, start.warp);
}

}  // namespace

TEST_CASE(
    "the warps of a work group are on neighbouring cores, each with its rank and the lanes it has threads for",
    "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(launch({1, 1, 1}, 60));
  const auto given = groups.give();
  REQUIRE(given);
  REQUIRE(given->starts.size() == 8);
  for (unsigned rank = 0; rank < 8; ++rank) {
    const WarpStart& start = given->starts[rank];
    CHECK(start.core == rank % 4);
    CHECK(start.warp == rank / 4);
    CHECK(start.lanes == (rank < 7 ? 0xFFu : 0x0Fu));
    CHECK(start.pc == 0x80000000);
    CHECK(start.group.rank == rank);
    CHECK(start.group.warps == 8);
    CHECK(start.group.warps_of_core == 2);
    CHECK(start.group.argument == 0x9FFF0000);
  }
  CHECK_FALSE(groups.give());
  CHECK(groups.waiting() == 0);
}

TEST_CASE("work groups are given in the order x, y, z, each once", "[dispatcher]") {
  WorkGroups groups(machine(2));
  groups.launch(launch({3, 2, 2}, 8));
  std::vector<std::array<std::uint32_t, 3>> seen;
  for (const auto& given : fill(groups)) seen.push_back(given.starts.front().group.index);
  REQUIRE(seen.size() == 12);
  for (std::uint32_t i = 0; i < 12; ++i)
    CHECK(seen[i] == std::array<std::uint32_t, 3>{i % 3, i / 3 % 2, i / 6});
}

TEST_CASE("a work group goes to the cluster with most free warps, the lowest of several", "[dispatcher]") {
  WorkGroups groups(machine(3));
  groups.launch(launch({6, 1, 1}, 64));
  std::vector<unsigned> clusters;
  for (const auto& given : fill(groups)) clusters.push_back(given.cluster);
  CHECK(clusters == std::vector<unsigned>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("work groups of fewer warps than cores go to the cores with most room", "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(launch({5, 1, 1}, 8));
  std::vector<unsigned> cores;
  for (const auto& given : fill(groups)) cores.push_back(given.starts.front().core);
  CHECK(cores == std::vector<unsigned>{0, 1, 2, 3, 0});
}

TEST_CASE("a grid waits until all work groups of the one before have ended", "[dispatcher]") {
  WorkGroups groups(machine(1));
  groups.launch(launch({1, 1, 1}, 8));
  groups.launch(launch({1, 1, 1}, 16));
  const auto first = fill(groups);
  REQUIRE(first.size() == 1);
  CHECK(groups.waiting() == 1);
  CHECK(groups.ended(first[0].starts[0].core, first[0].starts[0].warp));
  const auto second = fill(groups);
  REQUIRE(second.size() == 1);
  CHECK(second[0].starts.size() == 2);
}

TEST_CASE("clusters never have more warps, registers, shared memory or barriers at work than they have",
          "[dispatcher]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto below = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    DispatcherParams params = machine(1 + below(4));
    params.register_rows = below(2) != 0 ? 256 : 0;
    GridLaunch grid = launch({1 + below(5), 1 + below(4), 1 + below(3)}, 1 + below(256), below(0x9000));
    grid.registers = 16 + below(64);
    grid.barriers = below(4);
    if (!why_not(params, grid).empty()) continue;
    WorkGroups groups(params);
    groups.launch(grid);
    std::vector<WorkGroups::Given> running;
    std::set<std::array<std::uint32_t, 3>> seen;
    while (!groups.empty()) {
      for (auto& given : fill(groups)) {
        CHECK(seen.insert(given.starts.front().group.index).second);
        running.push_back(std::move(given));
      }
      REQUIRE_FALSE(running.empty());
      std::set<std::pair<unsigned, unsigned>> warps;
      std::map<unsigned, std::uint64_t> rows;
      std::map<unsigned, std::map<std::uint32_t, std::uint32_t>> shared, barriers;
      for (const auto& given : running) {
        for (const WarpStart& start : given.starts) {
          CHECK(warps.insert({start.core, start.warp}).second);
          CHECK(start.core / 4 == given.cluster);
          rows[start.core] += grid.registers;
        }
        if (grid.shared_bytes != 0) shared[given.cluster][given.place.shared_offset] = grid.shared_bytes;
        if (grid.barriers != 0) barriers[given.cluster][given.place.first_barrier] = grid.barriers;
      }
      for (const auto& [core, used] : rows)
        CHECK((params.register_rows == 0 || used <= params.register_rows));
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
      const std::size_t which = below(static_cast<std::uint32_t>(running.size()));
      end(groups, running[which]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    }
    CHECK(seen.size() == grid.groups());
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
        "a work group needs 512 registers of each lane of a core, for 8 warps of 64; there are 256");
}
