// SPDX-License-Identifier: Apache-2.0
// Which parameters of a machine have a better direction, and what a step makes of a machine.
#include "platform/studies/sweep/machine_steps.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "testbenches/support/catch.h"

using namespace spica;
using Catch::Contains;

namespace {

const std::filesystem::path kShipped = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";

const sweep::Parameter* find(const sweep::MachineSteps& steps, const std::string& key) {
  for (const sweep::Parameter& one : steps.parameters())
    if (one.key == key) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("shorter latencies and larger capacities are better, policies are neither") {
  for (const char* machine : {"virgo", "ampere-sm", "mgpu-8"}) {
    const sweep::MachineSteps steps(machine, kShipped);
    const auto& hit = *find(steps, "l2.hit_latency");
    CHECK(std::stoul(hit.better.value()) < std::stoul(hit.value));
    if (hit.worse) CHECK(std::stoul(*hit.worse) > std::stoul(hit.value));
    const auto& queue = *find(steps, "l2.request_queue");
    CHECK(std::stoul(queue.better.value()) > std::stoul(queue.value));
    CHECK_FALSE(queue.of_program);
    const auto& clock = *find(steps, "clock_mhz");
    CHECK(std::strtod(clock.better->c_str(), nullptr) > std::strtod(clock.value.c_str(), nullptr));
    CHECK(clock.of_program);
    for (const char* policy :
         {"l2.memory_queue_limit", "l2.line_bytes", "main_memory.interleave_bytes", "main_memory.base",
          "main_memory.dram.refresh_ns", "main_memory.dram.accesses_per_row", "cluster.multicast.timeout",
          "run.quantum", "run.hang_cycles", "power.window", "power.technology_nm"})
      CHECK(find(steps, policy) == nullptr);
  }
}

TEST_CASE("every better step and every worse step go different ways") {
  const sweep::MachineSteps steps("virgo", kShipped);
  CHECK(steps.parameters().size() > 100);
  for (const sweep::Parameter& one : steps.parameters()) {
    INFO(one.key);
    if (!one.better || !one.worse) continue;
    const double value = std::strtod(one.value.c_str(), nullptr);
    const double better = std::strtod(one.better->c_str(), nullptr),
                 worse = std::strtod(one.worse->c_str(), nullptr);
    CHECK((better < value) == (worse > value));
    CHECK(better != value);
    CHECK(worse != value);
  }
}

TEST_CASE("a step that contradicts another parameter takes it along, or says what is in its way") {
  const sweep::MachineSteps steps("virgo", kShipped);
  const sweep::Step both = steps.better(*find(steps, "cluster.dcache.mshrs"));
  CHECK(both.refused.empty());
  REQUIRE(both.overrides.size() == 2);
  CHECK(both.overrides[1] == "cluster.dcache.mshr_requests=18");
  const auto tiles = steps.choices(*find(steps, "cluster.matrix_units.0.tile_m"));
  REQUIRE(tiles.size() == 2);
  CHECK(tiles[0].tried == "128");
  CHECK(tiles[0].refused.empty());
  CHECK(tiles[0].overrides == std::vector<std::string>{"cluster.matrix_units.0.tile_m=128",
                                                       "cluster.matrix_units.0.accumulator_bytes=32768"});
  CHECK(tiles[1].tried == "32");
  CHECK(tiles[1].refused.empty());
  const sweep::Step lanes = steps.better(*find(steps, "cluster.core.lanes"));
  CHECK_THAT(lanes.refused, Contains("a tensor core of this style works on warps of 8 lanes"));
  CHECK(lanes.overrides == std::vector<std::string>{"cluster.core.lanes=16"});
}

TEST_CASE("parameters that contradict each other are left out of a machine in which all are better") {
  const sweep::MachineSteps steps("virgo", kShipped);
  std::vector<const sweep::Parameter*> all;
  for (const sweep::Parameter& one : steps.parameters())
    if (!one.of_program) all.push_back(&one);
  const auto overrides = steps.together(all, true);
  CHECK(overrides.size() > all.size() / 2);
  CHECK(steps.mhz(overrides) > 0);  // it is a legal machine
}

TEST_CASE("a clock beyond the voltage comes with the voltage that it needs") {
  const sweep::MachineSteps slow("virgo", kShipped);
  CHECK(slow.better(*find(slow, "clock_mhz")).overrides.size() == 1);
  CHECK(slow.mhz({"clock_mhz=450"}) == 450);
  CHECK(find(slow, "power.voltage")->value == "0.8");
  CHECK(find(slow, "power.voltage")->better.value() == "0.7");
}
