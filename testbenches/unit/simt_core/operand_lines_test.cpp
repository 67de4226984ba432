// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/operand_lines.h"

#include <utility>
#include <vector>

#include "testbenches/support/catch.h"
#include "testbenches/unit/simt_core/dispatched_entry.h"

using namespace spica;
using simt_core::Dispatched;
using simt_core::OperandLines;

namespace {

/// A unit whose buffer the test empties.
struct Unit final : simt_core::LineEnd {
  bool free(unsigned) const override { return is_free; }
  base::Cycle next(unsigned) const override { return first; }
  void enter(unsigned, const Dispatched& entry) override {
    entered.emplace_back(entry.pc, entry.ready);
    is_free = false;
  }
  bool is_free = true;
  base::Cycle first = 0;
  std::vector<std::pair<std::uint32_t, base::Cycle>> entered;  // pc, and when the unit can take it
};

using Entered = std::vector<std::pair<std::uint32_t, base::Cycle>>;

}  // namespace

TEST_CASE("an instruction comes to its unit a cycle after the one before it in its warp, whatever the unit") {
  OperandLines lines(2, 4);
  lines.pass(0, 9);
  CHECK(lines.next(0) == 10);
  CHECK(lines.next(1) <= 9);
  CHECK_FALSE(lines.stands(0));
}

TEST_CASE("what stays in a line holds those behind it until its unit is free") {
  OperandLines lines(2, 4);
  Unit memory, adder;
  memory.is_free = false;
  lines.pass(0, 5);
  lines.stay(0, memory, entry(1, 6));
  CHECK(lines.stands(0));
  CHECK(lines.next(0) == base::kNever);
  CHECK_FALSE(lines.stands(1));
  lines.stay(0, adder, entry(2, 7));
  CHECK_FALSE(lines.move(0));  // another unit has taken something
  CHECK(adder.entered.empty());
  memory.is_free = true;
  memory.first = 30;
  CHECK(lines.move(0));
  CHECK(memory.entered == Entered{{1, 30}});
  CHECK(adder.entered == Entered{{2, 31}});
  CHECK_FALSE(lines.stands(0));
  CHECK(lines.next(0) == 32);
}

TEST_CASE("two for one unit move up one after the other") {
  OperandLines lines(1, 4);
  Unit memory;
  memory.is_free = false;
  lines.stay(0, memory, entry(1, 6));
  lines.stay(0, memory, entry(2, 7));
  memory.is_free = true;
  memory.first = 12;
  CHECK(lines.move(0));
  CHECK(memory.entered == Entered{{1, 12}});
  CHECK(lines.stands(0));
}

TEST_CASE("a line has room until it is full, and for one that has moved until that is in its buffer") {
  OperandLines lines(1, 2);
  Unit memory;
  memory.is_free = false;
  CHECK(lines.has_room(0, 3));
  lines.stay(0, memory, entry(1, 6));
  CHECK(lines.has_room(0, 3));
  lines.stay(0, memory, entry(2, 7));
  CHECK_FALSE(lines.has_room(0, 4));
  CHECK(lines.full(0));
  memory.is_free = true;
  memory.first = 12;
  CHECK(lines.move(0));
  CHECK_FALSE(lines.full(0));
  CHECK_FALSE(lines.has_room(0, 10));
  CHECK(lines.has_room(0, 11));
}
