// SPDX-License-Identifier: Apache-2.0

#include "models/base/cycle_ring.h"

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
