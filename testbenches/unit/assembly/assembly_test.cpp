// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/assembly.h"

#include <memory>

#include "models/adapters/link_monitor.h"
#include "models/assembly/adapter_kinds.h"
#include "models/cache/cache.h"
#include "models/cluster/kinds.h"
#include "models/coalescer/coalescer_params.h"
#include "models/main_memory/main_memory.h"
#include "models/protocol/transport/pointer_ports.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using assembly::Assembly;
using assembly::Plan;
using assembly::PlanError;
using Catch::Contains;

namespace {

/// Two memories, each behind a cache; one of the caches is in a box.
Plan memory_behind_cache() {
  cluster::add_kinds();
  Plan plan;
  plan.add("memory", "main_memory", main_memory::Params{});
  plan.add("box.cache", "cache", cache::Params::l2());
  plan.link("box.cache.out", "memory.in");
  plan.link("player.socket", "box.cache.in_0");
  plan.add("other_memory", "main_memory", main_memory::Params{});
  plan.add("other_cache", "cache", cache::Params::l2());
  plan.link("other_cache.out", "other_memory.in");
  plan.link("other_player.socket", "other_cache.in_0");
  return plan;
}

/// A module of somebody who builds a plan inside it.
struct Owner final : sc_core::sc_module {
  explicit Owner(const Plan& plan, const sc_core::sc_module_name& name = "owner")
      : sc_module(name), blocks(plan, assembly::Mode::kCycle, build_context, *this) {
    blocks.add_to(bench.clock);
    bench.add(player);
    bench.add(other_player);
  }

  Bench bench;
  protocol::AddressMap map;
  assembly::BuildContext build_context{bench.clock, map};
  TrafficAgent player{"player", bench.clock}, other_player{"other_player", bench.clock};
  Assembly blocks;
};

}  // namespace

TEST_CASE("blocks of a plan are built in their boxes, bound, and tick") {
  const Plan plan = memory_behind_cache();
  Owner owner(plan);
  CHECK(std::string(owner.blocks.find<cache::Cache>("box.cache")->name()) == "owner.box.cache");
  LinePayload& read = owner.player.line(tlm::TLM_READ_COMMAND, 0x8000'0000, 32);
  owner.player.at(1, read);
  owner.bench.run();
  CHECK(read.is_response_ok());
  CHECK(owner.blocks.find<main_memory::MainMemory>("memory")->stats().reads.value() == 1);
}

TEST_CASE("blocks are found by name and type") {
  const Plan plan = memory_behind_cache();
  Owner owner(plan);
  CHECK(owner.blocks.find<cache::Cache>("memory") == nullptr);
  CHECK(owner.blocks.find<cache::Cache>("cache") == nullptr);
  CHECK(owner.blocks.all<cache::Cache>().size() == 2);
  CHECK(owner.blocks.components().size() == 4);
}

TEST_CASE("a monitor between two blocks counts what passes and changes no time") {
  Plan plan = memory_behind_cache();
  plan.insert("watch", "tlm_monitor", {}, "box.cache.out", "memory.in");
  Owner owner(plan);
  LinePayload& watched = owner.player.line(tlm::TLM_READ_COMMAND, 0x8000'0000, 32);
  LinePayload& other = owner.other_player.line(tlm::TLM_READ_COMMAND, 0x8000'0000, 32);
  owner.player.at(1, watched);
  owner.other_player.at(1, other);
  owner.bench.run();
  CHECK(owner.player.done(watched) == owner.other_player.done(other));
  auto& stats = owner.blocks.find<adapters::LinkMonitor<>>("watch")->stats();
  CHECK(stats.reads.value() == 1);
  CHECK(stats.bytes_read.value() == 64);
  CHECK(stats.latency.value() > 20);
  CHECK(stats.longest.value() == stats.latency.value());
}

TEST_CASE("ends that do not fit are named with what they speak") {
  Plan plan = memory_behind_cache();
  plan.add("coalescer", "coalescer", coalescer::Params{});
  plan.link("coalescer.out_0", "coalescer.in");
  CHECK_THROWS_WITH(Owner(plan), Contains("'owner.coalescer.out_0' speaks the TLM-2.0 base protocol, but "
                                          "'owner.coalescer.in'"));
}

TEST_CASE("an error names the blocks it is about, and the adapter that fits between two ends") {
  Plan plan = memory_behind_cache();
  plan.add("front", "warp_to_base");
  plan.add("narrow", "width_bridge", assembly::WidthBridgeParams{128, 32});
  plan.link("front.out", "narrow.in");
  try {
    Owner owner(plan);
    FAIL("it was built");
  } catch (const PlanError& error) {
    CHECK_THAT(error.what(), Contains("{name: adapter, kind: width_bridge, params: {from: 32, to: 128}, "
                                      "between: [front.out, narrow.in]}"));
    CHECK(error.blocks == std::vector<std::string>{"front", "narrow", "narrow"});
  }
}

TEST_CASE("a socket that is not there is named with those that are") {
  Plan plan = memory_behind_cache();
  plan.link("box.cache.ou", "memory.in");
  CHECK_THROWS_WITH(Owner(plan), Contains("the block 'box.cache' has no socket 'ou'; it has in_0, out") &&
                                     Contains("did you mean \"out\"?"));
  Plan other = memory_behind_cache();
  other.link("memory.in", "nobody.in");
  CHECK_THROWS_WITH(Owner(other), Contains("'nobody.in' is not a block of the machine"));
  Plan misspelt = memory_behind_cache();
  misspelt.link("box.cache.out", "memroy.in");
  CHECK_THROWS_WITH(Owner(misspelt),
                    Contains("'memroy.in' is not a block of the machine, did you mean \"memory.in\"?"));
}

TEST_CASE("the fast mode links what is behind the blocks that only move data") {
  cluster::add_kinds();
  Plan plan;
  plan.add("memory", "main_memory", main_memory::Params{});
  plan.add("cache", "cache", cache::Params::l2());
  plan.add("watch", "protocol_checker");
  plan.link("cache.out", "watch.in");
  plan.link("watch.out", "memory.in");
  plan.link("host", "cache.in_0");
  struct FastOwner final : sc_core::sc_module {
    explicit FastOwner(const Plan& machine, const sc_core::sc_module_name& name = "owner")
        : sc_module(name), blocks(machine, assembly::Mode::kFast, build_context, *this) {}
    base::ClockDomain clock{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
    protocol::AddressMap map;
    assembly::BuildContext build_context{clock, map};
    protocol::MemoryPort host{"host"};
    Assembly blocks;
  } owner(plan);
  CHECK(owner.host->base == main_memory::Params{}.base);
  CHECK(owner.blocks.all<sc_core::sc_module>().size() == 1);
}
