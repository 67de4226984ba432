// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/write_back.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace spica;
using simt_core::Completion;
using simt_core::WriteBack;

namespace {

Completion of_warp(std::uint8_t warp, std::uint32_t pc = 0) { return {warp, false, 1, pc, 0}; }

/// The cycles up to `end` in which something commits, with the pc.
std::vector<std::pair<base::Cycle, std::uint32_t>> commits(WriteBack& write_back, base::Cycle end) {
  std::vector<std::pair<base::Cycle, std::uint32_t>> found;
  for (base::Cycle cycle = 1; cycle <= end; ++cycle)
    write_back.take_due(cycle, [&](const Completion& completion) {
      write_back.leave_port(completion.warp, cycle);
      found.emplace_back(cycle, completion.pc);
    });
  return found;
}

}  // namespace

TEST_CASE("a warp writes back once per cycle") {
  WriteBack write_back(3);
  CHECK(write_back.take_port(3, 99, 100));
  CHECK_FALSE(write_back.take_port(3, 99, 100));
  CHECK(write_back.take_port(3, 99, 101));
  CHECK(write_back.take_port(4, 99, 100));  // another warp's port
  write_back.leave_port(3, 100);
  CHECK(write_back.take_port(3, 99, 163));  // 63 cycles ahead of 100
  CHECK_FALSE(write_back.take_port(3, 99, 101));
}

TEST_CASE("instructions of the core's own units write back in order, whatever their latency") {
  WriteBack write_back(3);
  write_back.schedule_in_order(0, 9, of_warp(0, 0x10));
  write_back.schedule_in_order(0, 4, of_warp(0, 0x14));
  write_back.schedule_in_order(0, 4, of_warp(1, 0x20));
  using Expected = std::vector<std::pair<base::Cycle, std::uint32_t>>;
  CHECK(commits(write_back, 20) == Expected{{4, 0x20}, {9, 0x10}, {10, 0x14}});
  CHECK(write_back.empty());
}

TEST_CASE("a result that finds its port taken writes back later, and holds nothing up") {
  WriteBack write_back(3);
  REQUIRE(write_back.take_port(0, 0, 5));
  CHECK(write_back.schedule_at_free_port(0, 5, of_warp(0, 0x10)) == 6);
  write_back.schedule_in_order(0, 3, of_warp(0, 0x14));
  using Expected = std::vector<std::pair<base::Cycle, std::uint32_t>>;
  CHECK(commits(write_back, 20) == Expected{{3, 0x14}, {6, 0x10}});
}

TEST_CASE("a row holds its warp's port in its cycle, and nobody needs to leave it") {
  WriteBack write_back(3);
  CHECK(write_back.hold_port(0, 4, 5));
  CHECK_FALSE(write_back.take_port(0, 4, 5));
  CHECK(write_back.take_port(0, 6, 69));  // the same place in the ring of 64 cycles
}
