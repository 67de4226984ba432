// SPDX-License-Identifier: Apache-2.0

#include "models/base/cycle_ring.h"

#include <vector>

#include "models/base/block_calendar.h"
#include "testbenches/support/catch.h"

using namespace spica::base;

TEST_CASE("a ring of cycles names the first marked one, over the wrap, too") {
  CycleRing ring;
  CHECK(ring.empty());
  CHECK(ring.next(7) == kNever);
  for (const Cycle from : {Cycle{0}, Cycle{63}, Cycle{64}, Cycle{1000}})
    for (const Cycle ahead : {Cycle{0}, Cycle{1}, Cycle{40}, Cycle{63}}) {
      ring.mark(from + ahead);
      CHECK(ring.marked(from + ahead));
      CHECK(ring.next(from) == from + ahead);
      ring.unmark(from + ahead);
      CHECK(ring.empty());
    }
}

TEST_CASE("of several marked cycles the nearest one counts") {
  CycleRing ring;
  ring.mark(100);
  ring.mark(130);
  CHECK(ring.next(99) == 100);
  CHECK(ring.next(101) == 130);
  ring.unmark(100);
  CHECK(ring.next(99) == 130);
}

TEST_CASE("a calendar of bits names all who are due in a cycle, once") {
  DueCalendar<std::uint32_t> calendar;
  calendar.add(10, 3);
  calendar.add(10, 31);
  calendar.add(72, 0);
  CHECK(calendar.next(9) == 10);
  CHECK(calendar.due(10) == (1u << 3 | 1u << 31));
  CHECK(calendar.take(10) == (1u << 3 | 1u << 31));
  CHECK(calendar.take(10) == 0);
  CHECK(calendar.next(11) == 72);
  calendar.clear();
  CHECK(calendar.next(11) == kNever);
  CHECK(calendar.take(72) == 0);
}

TEST_CASE("a calendar of blocks visits the due ones in order, in any number of groups") {
  for (const unsigned count : {1u, 64u, 65u, 5000u}) {
    BlockCalendar calendar;
    calendar.resize(count);
    const unsigned last = count - 1, middle = last / 2;
    calendar.add(60, last);
    calendar.add(7, middle);
    calendar.add(7, middle);
    CHECK(calendar.next(5) == 7);
    std::vector<std::size_t> seen;
    const auto visit = [&](std::size_t block) {
      seen.push_back(block);
      if (seen.size() > 1) return;
      calendar.add(7, last);  // later in the order: in this cycle
      calendar.add(7, 0);     // had its turn, or has it now: in the next call
    };
    calendar.take(7, visit);
    CHECK(seen == (last == middle ? std::vector<std::size_t>{0} : std::vector<std::size_t>{middle, last}));
    seen.assign(2, 0);
    calendar.take(7, visit);
    CHECK(seen == std::vector<std::size_t>{0, 0, 0});
    calendar.leave(7);
    CHECK(calendar.next(8) == 60);
    calendar.clear();
    CHECK(calendar.next(8) == kNever);
  }
}
