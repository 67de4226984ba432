// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/round_robin.h"
#include "testbenches/support/catch.h"

using namespace spica::base;

TEST_CASE("a bounded queue keeps order across the wrap and says when it is full") {
  BoundedQueue<int> queue(3);
  for (int i = 0; i < 10; ++i) {
    queue.push(2 * i);
    queue.push(2 * i + 1);
    CHECK_FALSE(queue.full());
    CHECK(queue[1] == 2 * i + 1);
    CHECK(queue.pop() == 2 * i);
    CHECK(queue.pop() == 2 * i + 1);
  }
  queue.push(1);
  queue.push(2);
  queue.push(3);
  CHECK(queue.full());
  CHECK(queue.free() == 0);
  queue.clear();
  CHECK(queue.empty());
}

TEST_CASE("a bounded queue gives an entry out of order and keeps that of the others") {
  for (int chosen = 0; chosen < 4; ++chosen) {
    BoundedQueue<int> queue(4);
    for (int i = -2; i < 2; ++i) queue.push(i);
    queue.drop();
    queue.drop();
    queue.push(2);  // over the wrap
    queue.push(3);
    CHECK(queue.back() == 3);
    CHECK(queue.take(static_cast<std::size_t>(chosen)) == chosen);
    for (int i = 0; i < 4; ++i)
      if (i != chosen) CHECK(queue.pop() == i);
    CHECK(queue.empty());
  }
}

TEST_CASE("an entry can be built in its place in a bounded queue") {
  BoundedQueue<int> queue(1);
  queue.append() = 7;
  CHECK(queue.full());
  CHECK(queue.front() == 7);
}

TEST_CASE("round robin serves every requester before it serves one twice") {
  RoundRobin arbiter(4);
  std::vector<unsigned> winners;
  for (int i = 0; i < 5; ++i) winners.push_back(arbiter.pick(0b1111));
  CHECK(winners == std::vector<unsigned>{0, 1, 2, 3, 0});
  CHECK(arbiter.pick(0b0001) == 0);
  CHECK(arbiter.pick(0b1001) == 3);
}

TEST_CASE("the calendar delivers near and far events in their cycle") {
  Calendar<int> calendar;
  calendar.schedule(10, 11, 1);
  calendar.schedule(10, 73, 2);
  calendar.schedule(10, 74, 3);
  calendar.schedule(10, 500, 4);
  std::vector<std::pair<Cycle, int>> seen;
  for (Cycle now = calendar.next(10); now != kNever; now = calendar.next(now))
    calendar.take_due(now, [&](int event) { seen.emplace_back(now, event); });
  CHECK(seen == std::vector<std::pair<Cycle, int>>{{11, 1}, {73, 2}, {74, 3}, {500, 4}});
  CHECK(calendar.empty());
}
