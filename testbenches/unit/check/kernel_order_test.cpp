// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/kernel_order.h"

#include "testbenches/support/catch.h"

using namespace spica::check;
using spica::protocol::Packet;

namespace {

constexpr unsigned kAgents = 4;

Knowledge of(unsigned agent, Epoch epoch) {
  Knowledge known(kAgents);
  known.done.raise(agent, epoch);
  return known;
}

/// Kernels by number, each on one agent.
struct OrderedQueues {
  KernelOrder order{4, kAgents};
  Packet packet(bool barrier) const {
    Packet packet;
    packet.barrier = barrier;
    return packet;
  }
  void launch(std::uint32_t kernel, unsigned queue, std::uint32_t number, unsigned agent, Epoch since,
              bool barrier = true) {
    order.begin(queue, number, packet(barrier));
    order.launch(kernel, queue, number);
    order.assign(agent, since, kernel);
  }
  Knowledge end(std::uint32_t kernel, unsigned agent, Epoch epoch) {
    order.leave(agent, of(agent, epoch));
    return order.end(kernel).left;
  }
  Epoch knows(unsigned agent, unsigned whom) const {
    return order.behind(agent)->done.of(whom, Access::kWrite);
  }
};

}  // namespace

TEST_CASE(
    "a kernel comes after those before it in its queue where its barrier bit says so, and after no others") {
  const bool barrier = GENERATE(true, false);
  OrderedQueues q;
  q.launch(1, 0, 0, 0, 1);
  q.launch(2, 1, 0, 1, 1);
  q.end(1, 0, 5);
  q.end(2, 1, 7);
  q.launch(3, 0, 1, 2, 1, barrier);
  CHECK(q.knows(2, 0) == (barrier ? 5 : 0));
  CHECK(q.knows(2, 1) == 0);
}

TEST_CASE("what a signal tells passes to all that follow the barrier, and to what these tell") {
  OrderedQueues q;
  q.launch(1, 0, 0, 0, 1);
  const Knowledge told = q.end(1, 0, 5);
  q.order.wait(1, told);
  q.launch(2, 1, 1, 1, 1);
  CHECK(q.knows(1, 0) == 5);
  q.order.wait(2, q.end(2, 1, 3));
  q.launch(3, 2, 1, 2, 1);
  CHECK(q.knows(2, 0) == 5);
  CHECK(q.knows(2, 1) == 3);
}

TEST_CASE("a doorbell tells its packets what the ringer knew, not those before them") {
  OrderedQueues q;
  q.order.ring(0, 1, Knowledge(kAgents));
  q.order.ring(0, 3, of(3, 9));
  q.launch(1, 0, 0, 0, 1);
  CHECK(q.knows(0, 3) == 0);
  q.launch(2, 0, 1, 1, 1);
  CHECK(q.knows(1, 3) == 9);
}

TEST_CASE("a firmware tells what it launches what it has observed before") {
  OrderedQueues q;
  q.launch(1, 0, 0, 0, 1);
  q.end(1, 0, 5);
  q.launch(2, 1, 0, 1, 1);
  CHECK(q.knows(1, 0) == 0);
  q.order.observe_queue(0);
  q.launch(3, 2, 0, 2, 1);
  CHECK(q.knows(2, 0) == 5);
}

TEST_CASE("an agent's later epoch tells of an earlier kernel only what the later kernel was behind") {
  const bool same_queue = GENERATE(true, false);
  OrderedQueues q;
  q.launch(1, 0, 0, 0, 10);
  const Knowledge told = q.end(1, 0, 15);
  q.launch(2, same_queue ? 0 : 1, same_queue ? 1 : 0, 0, 20);
  CHECK(q.order.covers(0, 17, 12));
  CHECK(q.order.covers(0, 25, 12) == same_queue);
  CHECK(q.order.is_over(told, 0, 12));
  CHECK_FALSE(q.order.is_over(told, 0, 25));
  CHECK_FALSE(q.order.is_over(Knowledge(kAgents), 0, 12));
}
