// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/core_state.h"

#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::CoreState;
using simt_core::Params;

TEST_CASE("a program starts with lane 0 of warp 0") {
  CoreState state{Params{}};
  state.launch();
  CHECK(state.active() == 1);
  CHECK(state[0].mask() == 1);
}

TEST_CASE("wspawn starts the first warps but the one that spawns, at most those there are") {
  CoreState state{Params{}};
  state.launch();
  CHECK(state.spawn(0, 3) == 0b110);
  CHECK(state.active() == 0b111);
  CHECK(state[2].flow->mask() == 1);
  CHECK(state.spawn(1, 1000) == 0b1111'1101);
  CHECK(state.spawn(0, 0) == 0);
  Params wide;
  wide.warps = 32;
  CoreState all{wide};
  CHECK(all.spawn(31, 32) == 0x7FFF'FFFF);
}

TEST_CASE("a warp that is spawned while it runs keeps its lanes") {
  CoreState state{Params{}};
  state.spawn(0, 2);
  state[1].flow->tmc(0xF0);
  state.spawn(0, 2);
  CHECK(state[1].mask() == 0xF1);
}

TEST_CASE("a barrier is complete with the warps it names, and lets go only those that came to it") {
  CoreState state{Params{}};
  state.spawn(7, 4);
  CHECK_FALSE(state.arrive(0, 1, 2));
  CHECK_FALSE(state.arrive(2, 3, 2));
  CHECK(state.describe(0) == "waits at barrier 1 (1 of 2 warps of this core have arrived)");
  CHECK(state.arrive(1, 1, 2));
  CHECK(state.running() == 0b1000);
  CHECK(state.release(1) == 0b11);
  CHECK(state.at_barrier() == 0b100);
  CHECK(state.describe(0).empty());
}

TEST_CASE("an id beyond the barriers of the core wraps around") {
  CoreState state{Params{}};
  state.launch();
  const auto ids = static_cast<unsigned>(Params{}.barriers);
  CHECK(state.arrive(0, ids + 2, 1));
  CHECK(state[0].barrier_id == 2);
}

TEST_CASE("a warp that ends inside a split forgets it, and says so") {
  CoreState state{Params{}};
  state.launch();
  state[0].flow->tmc(0xFF);
  REQUIRE(state[0].flow->split(0x0F, 4).diverged);
  CHECK_FALSE(state.end(0));
  CHECK(state.active() == 0);
  CHECK(state.describe(0) == "ended");
  state.launch();
  CHECK(state.end(0));
}

namespace {

/// Four warps of a work group on this core.
struct GroupOfFour {
  explicit GroupOfFour(bool ended_warps_arrive) {
    group.warps = 8;
    group.warps_of_core = 4;
    group.slot = 3;
    group.first_barrier = 2;
    group.barriers = 2;
    group.ended_warps_arrive = ended_warps_arrive;
    for (unsigned warp = 0; warp < 4; ++warp) state.launch(warp, 0xFF, group);
  }
  std::uint32_t end(unsigned warp) {
    state.end(warp);
    return state.leave_group(warp);
  }
  spica::protocol::WorkGroup group;
  CoreState state{Params{}};
};

}  // namespace

TEST_CASE("warps that have ended count as arrived, before and after the others arrive") {
  GroupOfFour four(true);
  CHECK(four.end(1) == 0);
  CHECK(four.state.ended_beside(0) == 1);
  CHECK_FALSE(four.state.arrive(0, 1, 0));
  CHECK_FALSE(four.state.arrive(3, 1, 0));
  CHECK(four.end(2) == 1u << 3);  // barrier 1 of the group
  CHECK(four.state.release(3) == 0b1001);
  CHECK(four.end(0) == 0);
  CHECK(four.state.arrive(3, 0, 0));  // alone
  CHECK(four.state.release(2) == 0b1000);
  CHECK(four.end(3) == 0);
  four.state.launch(0, 0xFF, four.group);  // another group in this slot
  CHECK(four.state.ended_beside(0) == 0);
}

TEST_CASE("a barrier for some warps does not count those that have ended") {
  GroupOfFour four(true);
  four.end(1);
  CHECK_FALSE(four.state.arrive(0, 0, 2));
  CHECK(four.state.arrive(2, 0, 2));
}

TEST_CASE("by default a barrier waits for warps that have ended") {
  GroupOfFour four(false);
  CHECK(four.end(1) == 0);
  for (const unsigned warp : {0u, 2u, 3u}) CHECK_FALSE(four.state.arrive(warp, 0, 0));
}
