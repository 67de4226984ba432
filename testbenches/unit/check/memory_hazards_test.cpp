// SPDX-License-Identifier: Apache-2.0
// Memory alone: who accessed it, in what order the test says.
#include "platform/observe/check/memory_hazards.h"

#include "testbenches/support/catch.h"
#include "testbenches/unit/check/check_bench.h"

using namespace spica;
using check::Kind;
using test::kGlobalWord;
using test::kSharedWord;

TEST_CASE("two unordered accesses of which one writes are one finding, with their places") {
  test::CheckParts parts;
  parts.memory.begin(parts.warp(0, 0, 0x100), 0);
  CHECK(parts.memory.access(kGlobalWord, 4, true));
  parts.memory.begin(parts.warp(0, 1, 0x200), 0);
  CHECK(parts.memory.access(kGlobalWord, 4, false));
  REQUIRE(parts.found().size() == 1);
  CHECK(parts.found()[0].kind == Kind::kRace);
  CHECK(parts.found()[0].first.pc == 0x100);
  CHECK(parts.found()[0].second.pc == 0x200);
  CHECK_FALSE(parts.memory.access(0x10, 4, false));  // neither shared nor global
}

TEST_CASE("clusters have shared memories of their own, and global memory together") {
  soc::SocParams params;
  params.clusters = 2;
  test::CheckParts parts(params);
  const auto cores = static_cast<unsigned>(params.cluster.cores);
  parts.memory.begin(parts.warp(0, 0, 0x100), 0);
  parts.memory.access(kSharedWord, 4, true);
  parts.memory.access(kGlobalWord, 4, true);
  parts.memory.begin(parts.warp(cores, 0, 0x200), 1);
  parts.memory.access(kSharedWord, 4, true);
  CHECK(parts.found().empty());
  parts.memory.access(kGlobalWord, 4, true);
  CHECK(parts.found().size() == 1);
}

TEST_CASE("shared memory must be written before it is read, again after it is forgotten") {
  test::CheckParts parts;
  parts.memory.initialised(kSharedWord, 4);
  parts.memory.begin(parts.warp(0, 0, 0x100), 0);
  parts.memory.access(kSharedWord, 4, false);
  CHECK(parts.found().empty());
  parts.memory.access(kSharedWord + 4, 4, false);
  REQUIRE(parts.found().size() == 1);
  CHECK(parts.found()[0].kind == Kind::kUninitialised);
  CHECK(parts.found()[0].address == kSharedWord + 4);
  parts.memory.forget_shared(0, kSharedWord, 4);
  parts.memory.begin(parts.warp(0, 0, 0x300), 0);
  parts.memory.access(kSharedWord, 4, false);
  CHECK(parts.found().size() == 2);
}

TEST_CASE("an atomic brings a word that synchronises, and its value orders") {
  const bool seen = GENERATE(true, false);
  test::CheckParts parts;
  parts.memory.begin(parts.warp(0, 0, 0x100), 0);
  parts.memory.access(kGlobalWord, 4, true);
  parts.order.fence(0);
  parts.memory.begin(parts.warp(0, 0, 0x104, check::Mark::kAtomic), 0);
  parts.memory.access(kGlobalWord + 64, 4, true);
  CHECK(parts.memory.waits());
  CHECK(parts.memory.take_waiting().size() == 1);
  CHECK_FALSE(parts.memory.waits());
  const unsigned other = parts.order.agents().warp(1, 0);
  parts.memory.begin(parts.warp(1, 0, 0x200, check::Mark::kAtomic), 0);
  parts.memory.access(kGlobalWord + 64, 4, true);
  const auto words = parts.memory.take_waiting();
  if (seen) parts.memory.observe(other, words);
  parts.memory.begin(parts.warp(1, 0, 0x204), 0);
  parts.memory.access(kGlobalWord, 4, false);
  CHECK(parts.found().size() == (seen ? 0 : 1));
}

namespace {

/// A flag that warp 0 of core 0 stores behind a fence.
struct Flag : test::CheckParts {
  static constexpr std::uint32_t kData = kGlobalWord, kFlag = kGlobalWord + 64;
  void access(unsigned core, std::uint32_t address, bool writes, check::Waits waits = check::Waits::kNo,
              std::uint8_t flags = 0) {
    check::Actor actor = warp(core, 0, 0x100 * (core + 1) + 4 * (address == kFlag), flags);
    actor.waits = waits;
    memory.begin(actor, 0);
    memory.access(address, 4, writes);
    if (memory.waits()) memory.observe(actor.agent, memory.take_waiting());
  }
  void store_behind_fence() {
    access(0, kData, true);
    order.fence(order.agents().warp(0, 0));
    access(0, kFlag, true, check::Waits::kNo, check::Mark::kReleasing);
  }
  void barrier(unsigned one, unsigned other) {
    for (const unsigned core : {one, other}) order.arrive(order.agents().warp(core, 0), 0);
    for (unsigned core = 0; core < 4; ++core) order.release(core, 0);
  }
};

}  // namespace

TEST_CASE("who has seen the value of a flag may load it and store it, also plainly") {
  const bool waited = GENERATE(true, false);
  Flag f;
  f.store_behind_fence();
  if (waited) f.access(1, Flag::kFlag, false, check::Waits::kInLoop);
  f.access(1, Flag::kFlag, false);
  f.access(1, Flag::kData, false);
  CHECK(f.found().size() == (waited ? 0 : 2));
  if (!waited) return;
  f.access(1, Flag::kFlag, true);
  CHECK(f.found().empty());
  f.access(0, Flag::kFlag, false);  // of which the first has not seen the new value
  CHECK(f.found().size() == 1);
}

TEST_CASE(
    "an atomic without a barrier behind the first store is a race, also when the storing warp added first") {
  const auto between = GENERATE(0, 1, 2);
  Flag f;
  const auto barrier = [&f] {
    f.order.fence(f.order.agents().warp(0, 0));
    f.barrier(0, 1);
  };
  f.access(0, Flag::kFlag, true);
  if (between == 1) barrier();
  f.access(0, Flag::kFlag, true, check::Waits::kNo, check::Mark::kAtomic);
  if (between == 2) barrier();
  f.access(1, Flag::kFlag, true, check::Waits::kNo, check::Mark::kAtomic);
  REQUIRE(f.found().size() == (between == 0 ? 1 : 0));
  if (between == 0) CHECK(f.found()[0].first.what == check::Accessor::What::kStore);
}

TEST_CASE("a store from before memory was given to others is not their first store") {
  Flag f;
  f.memory.begin(f.warp(0, 0, 0x100), 0);
  f.memory.access(kSharedWord, 4, true);
  f.memory.begin(f.warp(0, 0, 0x104, check::Mark::kAtomic), 0);
  f.memory.access(kSharedWord, 4, true);
  f.memory.forget_shared(0, kSharedWord, 4);
  f.memory.initialised(kSharedWord, 4);
  for (const unsigned core : {1u, 2u}) {
    f.memory.begin(f.warp(core, 0, 0x104, check::Mark::kAtomic), 0);
    f.memory.access(kSharedWord, 4, true);
  }
  CHECK(f.found().empty());
}

TEST_CASE("a plain load of what atomics change is a race, also behind an atomic of its own") {
  Flag f;
  f.access(1, Flag::kFlag, true, check::Waits::kInLoop, check::Mark::kAtomic);
  f.access(0, Flag::kFlag, true, check::Waits::kInLoop, check::Mark::kAtomic);
  f.access(1, Flag::kFlag, false, check::Waits::kInLoop);
  CHECK(f.found().empty());
  f.access(1, Flag::kFlag, false);
  CHECK(f.found().size() == 1);
}

TEST_CASE("who comes behind a warp that has seen a flag may load it, too") {
  const bool barrier = GENERATE(true, false);
  Flag f;
  f.store_behind_fence();
  f.access(1, Flag::kFlag, false, check::Waits::kInLoop);
  if (barrier) f.barrier(1, 2);
  f.access(2, Flag::kFlag, false);
  CHECK(f.found().size() == (barrier ? 0 : 1));
}

TEST_CASE("a load with a fence behind it may come before the store of a flag, a plain one may not") {
  const check::Waits waits = GENERATE(check::Waits::kFenced, check::Waits::kNo);
  Flag f;
  f.access(1, Flag::kFlag, false, waits);
  f.store_behind_fence();
  CHECK(f.found().size() == (waits == check::Waits::kFenced ? 0 : 1));
}

TEST_CASE("rows outside an accumulator are nobody's") {
  test::CheckParts parts;
  REQUIRE(parts.shape.units() > 0);
  const auto rows = static_cast<std::uint32_t>(parts.params.cluster.matrix_units[0].accumulator_rows());
  parts.memory.begin(parts.warp(0, 0, 0x100), 0);
  parts.memory.access_accumulator(0, rows - 1, true);
  parts.memory.access_accumulator(0, rows, true);
  parts.memory.begin(parts.warp(0, 1, 0x200), 0);
  parts.memory.access_accumulator(0, rows, true);
  CHECK(parts.found().empty());
  parts.memory.access_accumulator(0, rows - 1, true);
  CHECK(parts.found().size() == 1);
  CHECK(parts.found()[0].memory == check::Memory::kAccumulator);
}
