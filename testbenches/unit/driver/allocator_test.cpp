// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/allocator.h"

#include <map>
#include <random>

#include "platform/opencl/driver/program_area.h"
#include "testbenches/support/catch.h"

using spica::opencl::Allocator;
using spica::opencl::ProgramArea;

TEST_CASE("addresses are multiples of 128 inside the range") {
  Allocator memory(0x1001, 0x1000);
  CHECK(memory.free_bytes() == 0x1000 - 0x80);
  CHECK(memory.allocate(1) == 0x1080u);
  CHECK(memory.allocate(129) == 0x1100u);
  CHECK(memory.allocate(0) == 0x1200u);
}

TEST_CASE("the smallest range that is large enough is taken") {
  Allocator memory(0, 0x1000);
  const auto small = memory.allocate(0x100), between = memory.allocate(0x80), large = memory.allocate(0x400);
  REQUIRE(memory.allocate(0x80));
  memory.release(*large);
  memory.release(*small);
  CHECK(memory.allocate(0x100) == small);
  CHECK(memory.allocate(0x180) == large);
  CHECK(between != small);
}

TEST_CASE("freed neighbours become one range") {
  Allocator memory(0, 0x180);
  const auto a = memory.allocate(0x80), b = memory.allocate(0x80), c = memory.allocate(0x80);
  CHECK_FALSE(memory.allocate(1));
  memory.release(*a);
  memory.release(*c);
  CHECK_FALSE(memory.allocate(0x100));
  CHECK(memory.largest_free_bytes() == 0x80);
  memory.release(*b);
  CHECK(memory.allocate(0x180) == 0u);
}

TEST_CASE("sizes that overflow are refused") {
  Allocator memory(0, 0x1000);
  CHECK_FALSE(memory.allocate(~std::uint64_t{0}));
  CHECK_FALSE(memory.allocate(0x1001));
  CHECK(memory.allocate(0x1000));
}

TEST_CASE("random buffers never overlap, and all memory comes back") {
  std::mt19937 random(7);
  Allocator memory(0x10000, 0x40000);
  std::map<std::uint64_t, std::uint64_t> used;
  for (int step = 0; step < 4000; ++step) {
    if (used.size() < 100 && random() % 2 == 0) {
      const std::uint64_t bytes = 1 + random() % 3000;
      const auto place = memory.allocate(bytes);
      if (!place) continue;
      for (const auto& [begin, size] : used) REQUIRE((begin + size <= *place || *place + bytes <= begin));
      REQUIRE((*place >= 0x10000 && *place + bytes <= 0x50000));
      used[*place] = bytes;
    } else if (!used.empty()) {
      const auto victim = std::next(used.begin(), random() % used.size());
      memory.release(victim->first);
      used.erase(victim);
    }
  }
  for (const auto& range : used) memory.release(range.first);
  CHECK(memory.largest_free_bytes() == 0x40000);
}

TEST_CASE("a program area hands out slots and remembers who left") {
  ProgramArea area(0x80000000, 3 * ProgramArea::kSlot + 5, false);
  CHECK(area.reserve(1) == 0x80000000u);
  const auto large = area.reserve(ProgramArea::kSlot + 1);
  CHECK(large == 0x80000000u + ProgramArea::kSlot);
  CHECK_FALSE(area.reserve(1));
  area.release(*large, 42, true);
  CHECK(area.take_released() == std::vector<std::uint64_t>{42});
  CHECK(area.take_released().empty());
  const auto again = area.reserve(1);  // there is no other place
  CHECK(again == large);
  area.release(*again, 43, false);
  CHECK(area.take_released().empty());  // it never ran
}

TEST_CASE("a program that has run keeps its addresses where the machine is observed") {
  ProgramArea area(0x80000000, 2 * ProgramArea::kSlot, true);
  const auto first = area.reserve(1), second = area.reserve(1);
  area.release(*first, 1, true);
  CHECK(area.take_released() == std::vector<std::uint64_t>{1});
  CHECK_FALSE(area.reserve(1));
  area.release(*second, 2, false);
  CHECK(area.reserve(1) == second);
}
