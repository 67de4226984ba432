// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/plan.h"

#include "models/assembly/kinds.h"
#include "testbenches/support/catch.h"

using namespace spica;
using assembly::Plan;
using assembly::PlanError;
using Catch::Equals;

namespace {

/// memory <- cache <- core, in a box.
Plan small() {
  Plan plan;
  plan.add("memory", "main_memory");
  plan.add("box.cache", "cache");
  plan.add("box.core", "simt_core");
  plan.link("box.cache.out", "memory.in");
  plan.link("box.core.icache", "box.cache.in_0");
  return plan;
}

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> result;
  for (const assembly::Slot& slot : plan.slots()) result.push_back(slot.name);
  return result;
}

}  // namespace

TEST_CASE("the end of a link is a block and its socket, or one of the machine's owner") {
  const Plan plan = small();
  CHECK(plan.end("box.cache.in_0").slot == "box.cache");
  CHECK(plan.end("box.cache.in_0").socket == "in_0");
  CHECK(plan.end("memory").slot == "memory");
  CHECK(plan.end("memory").socket.empty());
  CHECK(plan.end("fault").slot.empty());
  CHECK(plan.end("box.nothing.in").slot.empty());
}

TEST_CASE("a block between two others takes over their link and ticks after the one nearer to memory") {
  Plan plan = small();
  plan.insert("watch", "tlm_monitor", {}, "box.cache.out", "memory.in");
  CHECK(names(plan) == std::vector<std::string>{"memory", "watch", "box.cache", "box.core"});
  CHECK(plan.links()[0].to == "watch.link.in");
  CHECK(plan.links().back().from == "watch.link.out");
  CHECK(plan.links().back().to == "memory.in");
  CHECK(plan.before("watch") == "box.cache.out");
  CHECK(plan.before("memory").empty());
}

TEST_CASE("a second block can stand behind the first") {
  Plan plan = small();
  plan.insert("one", "protocol_checker", {}, "box.cache.out", "memory.in");
  plan.insert("two", "protocol_checker", {}, "one.out", "memory.in");
  CHECK(plan.links()[0].to == "one.in");
  CHECK(plan.before("two") == "one.out");
}

TEST_CASE("a plan says what it has not") {
  Plan plan = small();
  CHECK_THROWS_WITH(plan.add("memory", "cache"), Equals("there are two blocks called 'memory'"));
  CHECK_THROWS_WITH(plan.replace("l3", "cache", {}), Equals("there is no block called 'l3'"));
  CHECK_THROWS_WITH(plan.insert("watch", "tlm_monitor", {}, "box.cache.out", "box.core.icache"),
                    Equals("'box.cache.out' has no link to 'box.core.icache'; it is linked to 'memory.in'"));
  CHECK_THROWS_WITH(
      plan.insert("watch", "monitor", {}, "box.cache.out", "memory.in"),
      Equals(
          "unknown kind of block 'monitor'; known: tlm_monitor, protocol_checker, warp_to_base, width_bridge"));
}

TEST_CASE("a block of another kind keeps name, place and links of the one before") {
  Plan plan = small();
  plan.replace("box.cache", "coalescer", {});
  CHECK(names(plan) == names(small()));
  CHECK(plan.find("box.cache")->kind == "coalescer");
  CHECK(plan.links().size() == small().links().size());
}
