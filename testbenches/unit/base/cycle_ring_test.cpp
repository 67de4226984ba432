// SPDX-License-Identifier: Apache-2.0

#include "models/base/cycle_ring.h"

#include <vector>

#include "models/base/block_calendar.h"
#include "models/base/clock_domain.h"
#include "testbenches/support/catch.h"

using namespace spica::base;

namespace {

struct Nobody final : Clocked {
  void tick() override {}
};

}  // namespace

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

TEST_CASE("a calendar of blocks ticks the due ones in order, in any number of groups") {
  for (const unsigned count : {1u, 64u, 65u, 5000u}) {
    Nobody nobody;
    BlockCalendar calendar;
    std::vector<BlockCalendar::Seat*> seats;
    for (unsigned i = 0; i < count; ++i) seats.push_back(&calendar.add(nobody));
    const auto wake = [&](unsigned block, Cycle cycle) {
      seats[block]->wake = cycle;
      calendar.rouse(*seats[block]->group);
    };
    const auto due = [&](unsigned block, Cycle cycle) {
      wake(block, cycle);
      calendar.enter(*seats[block], cycle);
    };
    const unsigned last = count - 1, middle = last / 2;
    std::vector<const BlockCalendar::Seat*> seen;
    wake(middle, 7);
    if (last != middle) wake(last, 60);
    CHECK(calendar.earliest() == 7);
    calendar.plan(5, 50);
    CHECK(calendar.next(5) == 7);
    calendar.visit(7, [&](const BlockCalendar::Seat& seat) {
      seen.push_back(&seat);
      if (seen.size() > 1) return;
      due(last, 7);  // later in the order: in this cycle
      due(0, 7);     // had its turn, or has it now: in the next
    });
    CHECK(seen == (last == middle ? std::vector<const BlockCalendar::Seat*>{seats[0]}
                                  : std::vector<const BlockCalendar::Seat*>{seats[middle], seats[last]}));
    CHECK(calendar.leave(7, 50) == 8);
    seen.clear();
    calendar.visit(8, [&](const BlockCalendar::Seat& seat) { seen.push_back(&seat); });
    CHECK(seen == std::vector<const BlockCalendar::Seat*>{seats[0]});
    CHECK(calendar.leave(8, 50) == kNever);
    CHECK(calendar.earliest() == kNever);
    due(last, 20);
    due(0, 9);
    CHECK(calendar.next(9) == 9);
    calendar.forget();
    calendar.plan(9, 50);
    CHECK(calendar.next(9) == kNever);
  }
}

TEST_CASE("groups of blocks wake in tick order, and sleep again without a wake cycle") {
  Nobody nobody;
  BlockCalendar calendar;
  std::vector<BlockCalendar::Seat*> seats;
  for (unsigned i = 0; i < 200; ++i) seats.push_back(&calendar.add(nobody));
  for (const unsigned block : {130u, 5u, 199u, 70u}) {
    seats[block]->wake = 3;
    calendar.rouse(*seats[block]->group);
  }
  calendar.plan(0, 64);
  std::vector<const BlockCalendar::Seat*> seen;
  calendar.visit(3, [&](const BlockCalendar::Seat& seat) { seen.push_back(&seat); });
  CHECK(seen == std::vector<const BlockCalendar::Seat*>{seats[5], seats[70], seats[130], seats[199]});
  CHECK(calendar.leave(3, 64) == kNever);
  seats[70]->wake = 100;
  calendar.plan(4, 68);
  for (unsigned block = 0; block < 200; block += 64)
    CHECK(seats[block]->group->awake == (seats[block]->group == seats[70]->group));
}
