// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/write_back.h"

#include <vector>

#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::Completion;
using simt_core::WriteBack;

namespace {

constexpr unsigned kWarps = 5;

Completion at_pc(std::uint32_t pc) { return {pc, 1, 0, false}; }

/// The cycles up to `end` in which something commits, with the pc.
std::vector<std::pair<base::Cycle, std::uint32_t>> commits(WriteBack& write_back, base::Cycle end) {
  std::vector<std::pair<base::Cycle, std::uint32_t>> found;
  for (base::Cycle cycle = 1; cycle <= end; ++cycle)
    write_back.take_due(
        cycle, [&](unsigned, const Completion& completion) { found.emplace_back(cycle, completion.pc); });
  return found;
}
using Commits = std::vector<std::pair<base::Cycle, std::uint32_t>>;

}  // namespace

TEST_CASE("a warp writes back once per cycle") {
  WriteBack write_back(kWarps);
  REQUIRE(write_back.free(3, 99, 100));
  write_back.schedule(99, 100, 3, at_pc(0x10));
  CHECK_FALSE(write_back.free(3, 99, 100));
  CHECK(write_back.free(3, 99, 101));
  CHECK(write_back.free(4, 99, 100));  // another warp's port
  unsigned warp = kWarps;
  write_back.take_due(100, [&](unsigned w, const Completion&) { warp = w; });
  CHECK(warp == 3);
  CHECK(write_back.free(3, 101, 164));  // the same place in a ring of 64 cycles
  CHECK(write_back.empty());
}

TEST_CASE("an instruction writes back when it has its result, whatever came before it") {
  WriteBack write_back(kWarps);
  write_back.schedule_at_free_port(0, 9, 0, at_pc(0x10));
  write_back.schedule_at_free_port(0, 4, 0, at_pc(0x14));
  write_back.schedule_at_free_port(0, 4, 1, at_pc(0x20));
  CHECK(write_back.next(0) == 4);
  CHECK(commits(write_back, 20) == Commits{{4, 0x14}, {4, 0x20}, {9, 0x10}});
  CHECK(write_back.empty());
}

TEST_CASE("a result that finds its port taken writes back later, and holds nothing up") {
  WriteBack write_back(kWarps);
  REQUIRE(write_back.hold_port(0, 0, 5));
  CHECK(write_back.schedule_at_free_port(0, 5, 0, at_pc(0x10)) == 6);
  write_back.schedule_at_free_port(0, 3, 0, at_pc(0x14));
  CHECK(commits(write_back, 20) == Commits{{3, 0x14}, {6, 0x10}});
}

TEST_CASE("a row holds its warp's port in its cycle, and nobody needs to leave it") {
  WriteBack write_back(kWarps);
  CHECK(write_back.hold_port(0, 4, 5));
  CHECK_FALSE(write_back.free(0, 4, 5));
  CHECK_FALSE(write_back.hold_port(0, 4, 5));
  CHECK(write_back.hold_port(1, 4, 5));
  CHECK(write_back.empty());
  CHECK(write_back.free(0, 6, 21));
  CHECK(write_back.free(0, 6, 69));
}

TEST_CASE("a write-back more than 63 cycles ahead takes the port of its own cycle alone") {
  WriteBack write_back(kWarps);
  write_back.schedule_at_free_port(0, 200, 2, at_pc(0x10));
  CHECK(write_back.free(2, 0, 200 - 192));
  CHECK(write_back.free(2, 0, 200 - 64));
  CHECK_FALSE(write_back.free(2, 0, 200));
  CHECK_FALSE(write_back.free(2, 150, 200));  // nobody has come by
  CHECK(write_back.schedule_at_free_port(0, 8, 2, at_pc(0x14)) == 8);
  CHECK(write_back.schedule_at_free_port(0, 200, 2, at_pc(0x18)) == 201);
  CHECK(write_back.next(7) == 8);
  CHECK_FALSE(write_back.empty());
  CHECK(commits(write_back, 300) == Commits{{8, 0x14}, {200, 0x10}, {201, 0x18}});
  CHECK(write_back.empty());
}
