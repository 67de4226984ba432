// SPDX-License-Identifier: Apache-2.0
// What newer standards have and DDR3 has not: bank groups with times of their own.
#include <algorithm>

#include "models/main_memory/dram_channel.h"
#include "testbenches/support/catch.h"

using namespace spica::main_memory;

namespace {

/// Four groups of four banks; bank 4 is in the group of bank 0, bank 1 is not.
DramParams grouped() {
  DramParams p;
  p.refresh_ns = 0;
  p.accesses_per_row = 1000;
  p.banks = 16;
  p.bank_groups = 4;
  p.burst = 4;
  p.ccd_l = 7;
  p.rrd = 5;
  p.rrd_l = 9;
  p.wtr = 4;
  p.wtr_l = 11;
  return p;
}
constexpr std::uint32_t kBank = 0, kSameGroup = 4, kOtherGroup = 1;

Picoseconds time_of(const DramParams& p, std::uint64_t clocks) { return clocks * p.clock_ps; }

/// From the end of the data of a first access to that of a second, both to open rows, decided at the same time.
Picoseconds between(const DramParams& p, bool first_writes, std::uint32_t bank, bool second_writes) {
  DramChannel channel(p);
  for (const std::uint32_t each : {kBank, kSameGroup, kOtherGroup}) channel.issue(0, {each, 0}, false, 1);
  const Picoseconds later = 10'000'000;
  const Picoseconds first = channel.issue(later, {kBank, 0}, first_writes, 1).data_end;
  return channel.issue(later, {bank, 0}, second_writes, 1).data_end - first;
}

}  // namespace

TEST_CASE("accesses to one bank group are tCCD_L apart, to different ones a burst") {
  const DramParams p = grouped();
  for (const bool write : {false, true}) {
    CHECK(between(p, write, kBank, write) == time_of(p, p.ccd_l));
    CHECK(between(p, write, kSameGroup, write) == time_of(p, p.ccd_l));
    CHECK(between(p, write, kOtherGroup, write) == time_of(p, p.burst));
  }
}

TEST_CASE("a read behind a write waits longer in the same bank group") {
  const DramParams p = grouped();
  CHECK(between(p, true, kSameGroup, false) == time_of(p, p.wtr_l + p.cl + p.burst));
  CHECK(between(p, true, kOtherGroup, false) == time_of(p, p.wtr + p.cl + p.burst));
}

TEST_CASE("activates of one bank group are tRRD_L apart, of different ones tRRD_S") {
  DramParams p = grouped();
  p.burst = 1;  // keeps the data bus and the column commands out of the way
  p.ccd_l = 1;
  const auto second = [&](std::uint32_t bank) {
    DramChannel channel(p);
    const Picoseconds first = channel.issue(0, {kBank, 0}, false, 1).data_end;
    return channel.issue(0, {bank, 0}, false, 1).data_end - first;
  };
  CHECK(second(kSameGroup) == time_of(p, p.rrd_l));
  CHECK(second(kOtherGroup) == time_of(p, p.rrd));
}

TEST_CASE("the bursts of one access to a bank are tCCD_L apart where there are groups") {
  DramParams p = grouped();
  DramChannel with_groups(p);
  CHECK(with_groups.issue(0, {kBank, 0}, false, 3).data_end ==
        time_of(p, p.rcd + p.cl + 2 * p.ccd_l + p.burst));
  p.bank_groups = 1;
  DramChannel without(p);
  CHECK(without.issue(0, {kBank, 0}, false, 3).data_end == time_of(p, p.rcd + p.cl + 3 * p.burst));
}

TEST_CASE("with one bank group its times do not count") {
  DramParams p = grouped();
  p.bank_groups = 1;
  CHECK(between(p, false, kSameGroup, false) == time_of(p, p.burst));
  CHECK(between(p, true, kSameGroup, false) == time_of(p, p.wtr + p.cl + p.burst));
}

TEST_CASE("bank_bytes says how much of a line is in one bank") {
  DramParams p;
  p.access_bytes = 32;
  p.bank_bytes = 128;
  const DramChannel channel(p);
  CHECK(channel.locate(96).bank == 0);
  CHECK(channel.locate(128).bank == 1);
  CHECK(channel.locate(128 * p.banks).bank == 0);
  CHECK(channel.locate(p.row_bytes * p.banks - 1).row == 0);
  CHECK(channel.locate(p.row_bytes * p.banks).row == 1);
}
