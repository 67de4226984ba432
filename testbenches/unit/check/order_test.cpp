// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/order.h"

#include "testbenches/support/catch.h"

using namespace spica::check;

namespace {

/// Two clusters of two cores of four warps, a unit in each, with decoupled tensor cores.
struct Machine {
  explicit Machine(bool barrier_waits = true) : order(agents, 2, barrier_waits) {}
  Agents agents{4, 4, 2, true, false};
  Order order;
  unsigned warp(unsigned core, unsigned w) const { return agents.warp(core, w); }
  bool knows(unsigned who, unsigned whom, Access access, Epoch epoch) const {
    return order.clock(who).of(whom, access) >= epoch;
  }
  void barrier(unsigned id, std::initializer_list<unsigned> warps) {
    for (const unsigned w : warps) order.arrive(w, id);
    order.release(0, id);
    order.release(1, id);
  }
};

}  // namespace

TEST_CASE("every agent has a number of its own and can be found by it") {
  const Agents agents(4, 4, 2, true, false);
  CHECK(agents.count() == 16 + 16 + 6);
  CHECK(agents.core_of(agents.warp(3, 2)) == 3);
  CHECK(agents.warp_of(agents.warp(3, 2)) == 2);
  const unsigned tensor = agents.tensor(agents.warp(2, 1));
  CHECK(agents.is_tensor(tensor));
  CHECK(agents.core_of(tensor) == 2);
  const unsigned engine = agents.engine(1, Engine::kStore);
  CHECK(agents.is_engine(engine));
  CHECK(agents.unit_of(engine) == 1);
  CHECK(agents.engine_of(engine) == Engine::kStore);
}

TEST_CASE("a fence and a barrier order stores, a barrier alone does not") {
  Machine m;
  const unsigned a = m.warp(0, 0), b = m.warp(1, 0);
  const Epoch stored = m.order.now(a);
  const bool fence = GENERATE(true, false);
  if (fence) m.order.fence(a);
  CHECK_FALSE(m.knows(b, a, Access::kWrite, stored));
  m.barrier(0, {a, b});
  CHECK(m.knows(b, a, Access::kWrite, stored) == fence);
  CHECK(m.order.issued(b).of(a, Access::kWrite) >= stored);
  const Epoch later = m.order.now(a);
  CHECK_FALSE(m.knows(b, a, Access::kWrite, later));
}

TEST_CASE("a barrier that waits for memory orders a store without a fence, as this machine only does") {
  const bool waits = GENERATE(true, false);
  Machine m(waits);
  const unsigned a = m.warp(0, 0), b = m.warp(1, 0), c = m.warp(1, 1), tensor = m.agents.tensor(b);
  const Epoch stored = m.order.now(a);
  m.barrier(0, {a, b});
  CHECK_FALSE(m.knows(b, a, Access::kWrite, stored));
  CHECK((m.order.waited(b).of(a, Access::kWrite) >= stored) == waits);
  CHECK((m.order.waited(tensor).of(a, Access::kWrite) >= stored) == waits);
  CHECK(m.order.waited(c).of(a, Access::kWrite) < stored);
  m.barrier(0, {b, c});  // who hears of it from others knows it, too
  CHECK((m.order.waited(c).of(a, Access::kWrite) >= stored) == waits);
}

TEST_CASE(
    "where barriers do not wait, a fence in front of them orders for the same core only, a fence and a CSR access for all") {
  Machine m(false);
  const unsigned a = m.warp(0, 0), b = m.warp(1, 0), near = m.warp(0, 1);
  const Epoch stored = m.order.now(a);
  const bool drained = GENERATE(true, false);
  m.order.fence(a);
  if (drained) m.order.drain(a);
  m.barrier(0, {a, b, near});
  CHECK(m.knows(b, a, Access::kWrite, stored) == drained);
  CHECK(m.knows(near, a, Access::kWrite, stored));
  CHECK(m.order.issued(b).of(a, Access::kWrite) >= stored);
  const unsigned unit = m.agents.engine(0, Engine::kLoad);  // does not come behind the fence in the core
  m.order.command(0, 1, near, m.order.publish(near));
  m.order.begin_work(unit, 0, 1);
  CHECK(m.knows(unit, a, Access::kWrite, stored) == drained);
}

TEST_CASE("where warps do not wait for memory, starting and ending them orders what is fenced") {
  Machine m(false);
  const unsigned parent = m.warp(0, 0), child = m.warp(0, 3);
  const bool fences = GENERATE(true, false);
  const Epoch before = m.order.now(parent);
  if (fences) m.order.fence(parent);
  m.order.spawn(parent, child);
  CHECK(m.knows(child, parent, Access::kWrite, before) == fences);
  const Epoch stored = m.order.now(child);
  if (fences) m.order.fence(child);
  m.order.end(child);
  m.order.see_end(parent, child);
  CHECK(m.knows(parent, child, Access::kWrite, stored) == fences);
}

TEST_CASE("a load whose value was used is told apart from one that is under way") {
  Machine m(false);
  const unsigned a = m.warp(0, 0), b = m.warp(0, 1);
  const Epoch used = m.order.now(a);
  m.order.load(a, 1 << 5);
  m.order.use(a, 1 << 5);
  const Epoch under_way = m.order.now(a);
  m.order.load(a, 1 << 6);
  m.barrier(0, {a, b});
  CHECK(m.knows(b, a, Access::kRead, used));
  CHECK_FALSE(m.knows(b, a, Access::kRead, under_way));
}

TEST_CASE("the value of a flag shows that what its fence waited for is complete, barrier or not") {
  Machine m(false);
  const unsigned a = m.warp(0, 0), b = m.warp(1, 0), c = m.warp(1, 1);
  const Epoch stored = m.order.now(a);
  m.order.fence(a);
  const Knowledge published = m.order.publish(a);
  m.order.acquire_value(b, published);
  CHECK(m.knows(b, a, Access::kWrite, stored));
  CHECK(m.knows(m.agents.tensor(b), a, Access::kWrite, stored));
  m.barrier(0, {b, c});
  CHECK(m.knows(c, a, Access::kWrite, stored));
}

TEST_CASE("a load is over when its value is used") {
  Machine m;
  const unsigned a = m.warp(0, 0), b = m.warp(0, 1);
  const Epoch loaded = m.order.now(a);
  m.order.load(a, 1u << 5);
  const bool used = GENERATE(true, false);
  if (used) m.order.use(a, 1u << 5);
  m.barrier(1, {a, b});
  CHECK(m.knows(b, a, Access::kRead, loaded) == used);
}

TEST_CASE("a fence waits for what other warps of the core did, and not for other cores") {
  Machine m;
  const unsigned a = m.warp(0, 0), b = m.warp(0, 1), other = m.warp(1, 0), c = m.warp(1, 1);
  const Epoch stored = m.order.now(a), elsewhere = m.order.now(other);
  m.barrier(0, {a, b, other, c});  // without fences
  CHECK_FALSE(m.knows(b, a, Access::kWrite, stored));
  m.order.fence(b);
  CHECK(m.knows(b, a, Access::kWrite, stored));
  CHECK_FALSE(m.knows(b, other, Access::kWrite, elsewhere));
  m.barrier(0, {a, b, other, c});
  CHECK(m.knows(c, a, Access::kWrite, stored));
}

TEST_CASE("a warp that comes to the next round of a barrier early does not belong to this one") {
  Machine m;
  const unsigned a = m.warp(0, 0), b = m.warp(1, 0);
  m.order.arrive(a, 3);
  m.order.arrive(b, 3);
  m.order.release(0, 3);
  const Epoch stored = m.order.now(a);
  m.order.fence(a);
  m.order.arrive(a, 3);  // before core 1 has heard of the release
  m.order.release(1, 3);
  CHECK_FALSE(m.knows(b, a, Access::kWrite, stored));
  m.order.arrive(b, 3);
  m.order.release(0, 3);
  m.order.release(1, 3);
  CHECK(m.knows(b, a, Access::kWrite, stored));
}

TEST_CASE("barriers of different clusters are different barriers") {
  Machine m;
  const unsigned a = m.warp(0, 0), far = m.warp(2, 0);
  const Epoch stored = m.order.now(a);
  m.order.fence(a);
  m.order.arrive(a, 0);
  m.order.arrive(far, 0);
  for (unsigned core = 0; core < 4; ++core) m.order.release(core, 0);
  CHECK_FALSE(m.knows(far, a, Access::kWrite, stored));
}

TEST_CASE("a started warp knows what was fenced, who sees its end knows what it did") {
  Machine m;
  const unsigned parent = m.warp(0, 0), child = m.warp(0, 3);
  const Epoch fenced = m.order.now(parent);
  m.order.fence(parent);
  const Epoch open = m.order.now(parent);
  m.order.spawn(parent, child);
  CHECK(m.knows(child, parent, Access::kWrite, fenced));
  CHECK_FALSE(m.knows(child, parent, Access::kWrite, open));
  const Epoch stored = m.order.now(child);
  m.order.end(child);
  m.order.see_end(parent, child);
  CHECK(m.knows(parent, child, Access::kWrite, stored));
  // Others learn of it only after a fence of the parent.
  const unsigned other = m.warp(1, 0);
  m.barrier(2, {parent, other});
  CHECK_FALSE(m.knows(other, child, Access::kWrite, stored));
  m.order.fence(parent);
  m.barrier(2, {parent, other});
  CHECK(m.knows(other, child, Access::kWrite, stored));
}

TEST_CASE("a unit knows what was fenced before its command, and is known when it is seen idle") {
  Machine m;
  const unsigned a = m.warp(0, 0), load = m.agents.engine(0, Engine::kLoad);
  const Epoch fenced = m.order.now(a);
  m.order.fence(a);
  const Epoch open = m.order.now(a);
  const Knowledge published = m.order.publish(a);
  m.order.command(0, 1, a, published);
  m.order.begin_work(load, 7, 1);
  CHECK(m.knows(load, a, Access::kWrite, fenced));
  CHECK_FALSE(m.knows(load, a, Access::kWrite, open));
  const Epoch work = m.order.now(load);
  m.order.see_idle(a, 0);  // too early: the bit was not up yet
  CHECK_FALSE(m.knows(a, load, Access::kWrite, work));
  CHECK(m.order.behind_command(a, 0, 1));
  CHECK_FALSE(m.order.behind_command(m.warp(1, 1), 0, 1));
  m.order.end_work(0, 7);
  m.order.see_idle(a, 0);
  CHECK(m.knows(a, load, Access::kWrite, work));
  CHECK_FALSE(m.knows(m.warp(0, 1), load, Access::kWrite, work));
}

TEST_CASE("who reads that a unit is idle learns of its work only behind the command") {
  Machine m;
  const unsigned a = m.warp(0, 0), b = m.warp(0, 1), load = m.agents.engine(0, Engine::kLoad);
  const Epoch mine = m.order.now(a);
  m.order.command(0, 1, a, m.order.publish(a));
  m.order.begin_work(load, 1, 1);
  const Epoch work = m.order.now(load);
  m.order.end_work(0, 1);
  const bool synchronised = GENERATE(true, false), more = GENERATE(true, false);
  if (more)  // so many that the unit's record of them is a summary
    for (std::uint32_t number = 2; number < 200; ++number) m.order.command(0, number, a, m.order.publish(a));
  if (synchronised) m.barrier(0, {a, b});
  m.order.see_idle(b, 0);
  CHECK(m.knows(b, load, Access::kWrite, work) == synchronised);
  CHECK(m.knows(b, a, Access::kRead, mine) == synchronised);
  m.order.see_idle(a, 0);
  CHECK(m.knows(a, load, Access::kWrite, work));
}

TEST_CASE("work for a command of nobody is known to all that see the unit idle") {
  Machine m;
  const unsigned load = m.agents.engine(0, Engine::kLoad);
  m.order.begin_work(load, 1, 1);
  m.order.end_work(0, 1);
  m.order.see_idle(m.warp(1, 1), 0);
  CHECK(m.knows(m.warp(1, 1), load, Access::kWrite, m.order.now(load)));
}

TEST_CASE("an engine held back knows the work it waited for, and no later one") {
  Machine m;
  const unsigned load = m.agents.engine(1, Engine::kLoad), execute = m.agents.engine(1, Engine::kExecute);
  m.order.begin_work(load, 1, 1);
  const Epoch first = m.order.now(load);
  m.order.begin_work(load, 2, 2);
  m.order.begin_work(execute, 3, 1);
  m.order.hold_back(execute, load, first);
  CHECK(m.knows(execute, load, Access::kWrite, first));
  CHECK_FALSE(m.knows(execute, load, Access::kWrite, first + 1));
}

TEST_CASE("tensor cores know what is settled, not what is fenced") {
  Machine m;
  const unsigned a = m.warp(0, 0), b = m.warp(1, 0);
  const Epoch stored = m.order.now(a);
  m.order.fence(a);
  m.barrier(0, {a, b});
  CHECK(m.knows(b, a, Access::kWrite, stored));
  CHECK_FALSE(m.knows(m.agents.tensor(b), a, Access::kWrite, stored));
  m.order.drain(a);
  CHECK(m.knows(m.agents.tensor(a), a, Access::kWrite, stored));
  m.barrier(0, {a, b});
  CHECK(m.knows(m.agents.tensor(b), a, Access::kWrite, stored));
}

TEST_CASE("a product's reads are complete after the wait for it") {
  Machine m;
  const unsigned a = m.warp(0, 0), tensor = m.agents.tensor(a);
  m.order.tensor_begin(a);
  const Epoch read = m.order.now(tensor);
  CHECK_FALSE(m.knows(a, tensor, Access::kRead, read));
  m.order.tensor_wait(a);
  CHECK(m.knows(a, tensor, Access::kRead, read));
}

TEST_CASE("what a store published long ago is remembered") {
  Machine m;
  const unsigned a = m.warp(0, 0);
  const Epoch data = m.order.now(a);
  m.order.fence(a);
  const Epoch flag = m.order.now(a);
  for (int i = 0; i < 10; ++i) m.order.fence(a);
  const Knowledge then = m.order.published_at(a, flag);
  CHECK(then.done.of(a, Access::kWrite) >= data);
  CHECK(then.done.of(a, Access::kWrite) < flag);
}
