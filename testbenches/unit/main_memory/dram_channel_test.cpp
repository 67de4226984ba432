// SPDX-License-Identifier: Apache-2.0

#include "models/main_memory/dram_channel.h"
#include "models/main_memory/storage.h"
#include "testbenches/support/catch.h"

using namespace spica::main_memory;

namespace {

DramParams quiet() {
  DramParams p;
  p.refresh_ns = 0;
  p.accesses_per_row = 1000;
  return p;
}
Picoseconds ps(const DramParams& p, std::uint64_t clocks) { return clocks * p.clock_ps; }

}  // namespace

TEST_CASE("a read of a closed, an open and another row takes the time of the device") {
  const DramParams p = quiet();
  DramChannel channel(p);
  const auto miss = channel.issue(0, {0, 5}, false, 1);
  CHECK(miss.kind == DramChannel::Kind::kRowMiss);
  CHECK(miss.data_end == ps(p, p.rcd + p.cl + p.burst));

  const Picoseconds later = 1'000'000;
  const auto hit = channel.issue(later, {0, 5}, false, 1);
  CHECK(hit.kind == DramChannel::Kind::kRowHit);
  CHECK(hit.data_end == later + ps(p, p.cl + p.burst));

  const auto conflict = channel.issue(2 * later, {0, 6}, false, 1);
  CHECK(conflict.kind == DramChannel::Kind::kRowConflict);
  CHECK(conflict.data_end == 2 * later + ps(p, p.rp + p.rcd + p.cl + p.burst));
}

TEST_CASE("a conflict directly behind an activate waits for tRAS and tRC") {
  const DramParams p = quiet();
  DramChannel channel(p);
  channel.issue(0, {0, 1}, false, 1);
  const auto second = channel.issue(0, {0, 2}, false, 1);
  CHECK(second.data_end == ps(p, p.rc + p.rcd + p.cl + p.burst));
}

TEST_CASE("a conflict behind a write waits for the write recovery") {
  const DramParams p = quiet();
  DramChannel channel(p);
  const auto write = channel.issue(0, {0, 1}, true, 1);
  CHECK(write.data_end == ps(p, p.rcd + p.cwl + p.burst));
  const auto read = channel.issue(0, {0, 2}, false, 1);
  CHECK(read.data_end == write.data_end + ps(p, p.wr + p.rp + p.rcd + p.cl + p.burst));
}

TEST_CASE("a read behind a write to the same row waits for the turnaround") {
  const DramParams p = quiet();
  DramChannel channel(p);
  const auto write = channel.issue(0, {0, 1}, true, 1);
  const auto read = channel.issue(0, {0, 1}, false, 1);
  CHECK(read.data_end == write.data_end + ps(p, p.wtr + p.cl + p.burst));
}

TEST_CASE("row hits follow each other at the rate of the data bus") {
  const DramParams p = quiet();
  DramChannel channel(p);
  const auto first = channel.issue(0, {3, 1}, false, 1);
  for (unsigned i = 1; i <= 100; ++i)
    REQUIRE(channel.issue(0, {3, 1}, false, 1).data_end == first.data_end + ps(p, i * p.burst));
}

TEST_CASE("activates of different banks keep tRRD, and no five fall into tFAW") {
  DramParams p = quiet();
  p.burst = 1;  // keeps the data bus out of the way
  DramChannel channel(p);
  const Picoseconds rest = ps(p, p.rcd + p.cl + p.burst);
  for (std::uint32_t bank = 0; bank < 4; ++bank)
    CHECK(channel.issue(0, {bank, 0}, false, 1).data_end == ps(p, bank * p.rrd) + rest);
  for (std::uint32_t bank = 4; bank < 8; ++bank)
    CHECK(channel.issue(0, {bank, 0}, false, 1).data_end ==
          ps(p, std::max(p.faw, 4 * p.rrd) + (bank - 4) * p.rrd) + rest);
}

TEST_CASE("a row is closed after the allowed number of accesses") {
  DramParams p = quiet();
  p.accesses_per_row = 4;
  DramChannel channel(p);
  for (unsigned i = 0; i < 4; ++i) channel.issue(0, {0, 1}, false, 1);
  CHECK_FALSE(channel.row_hit({0, 1}));
  const auto next = channel.issue(10'000'000, {0, 1}, false, 1);
  CHECK(next.kind == DramChannel::Kind::kRowMiss);
  CHECK(next.data_end == 10'000'000 + ps(p, p.rcd + p.cl + p.burst));
}

TEST_CASE("an access inside a refresh waits for its end, whole missed refreshes cost nothing") {
  DramParams p = quiet();
  p.refresh_ns = 7800;
  const Picoseconds interval = 7'800'000;
  DramChannel channel(p);
  channel.issue(0, {0, 1}, false, 1);
  const auto inside = channel.issue(interval + 1000, {0, 1}, false, 1);
  CHECK(inside.kind == DramChannel::Kind::kRowMiss);
  CHECK(inside.data_end == interval + ps(p, p.rfc + p.rcd + p.cl + p.burst));
  CHECK(channel.refreshes() == 1);

  const Picoseconds much_later = 100 * interval + interval / 2;
  const auto after = channel.issue(much_later, {0, 1}, false, 1);
  CHECK(after.data_end == much_later + ps(p, p.rcd + p.cl + p.burst));
  CHECK(channel.refreshes() == 100);
}

TEST_CASE("consecutive accesses go to consecutive banks, then columns, then rows") {
  const DramParams p;
  const DramChannel channel(p);
  CHECK(channel.locate(0).bank == 0);
  CHECK(channel.locate(64).bank == 1);
  CHECK(channel.locate(64 * 8).bank == 0);
  CHECK(channel.locate(64 * 8).row == 0);
  const std::uint64_t all_rows = p.row_bytes * p.banks;
  CHECK(channel.locate(all_rows - 64).row == 0);
  CHECK(channel.locate(all_rows).row == 1);
  CHECK(channel.locate(all_rows).bank == 0);
}

TEST_CASE("storage knows its bounds and forgets on demand") {
  Storage storage(0x80000000, 0x80000000);
  CHECK(storage.contains(0x80000000, 1));
  CHECK(storage.contains(0xFFFFFFFF, 1));
  CHECK_FALSE(storage.contains(0xFFFFFFFF, 2));
  CHECK_FALSE(storage.contains(0x7FFFFFFF, 2));
  CHECK_FALSE(storage.contains(0x80000000, 0x80000001));
  CHECK(*storage.at(0xFFFFFFFF) == 0);
  *storage.at(0xFFFFFFFF) = 7;
  CHECK(*storage.at(0xFFFFFFFF) == 7);
  storage.clear();
  CHECK(*storage.at(0xFFFFFFFF) == 0);
}
