// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/shared_memory/cluster.h"

#include "testbenches/support/catch.h"

using namespace spica::testbench;

TEST_CASE("the same word bank wanted by four cores is served one core per cycle, lowest index first") {
  Bench bench;
  Cluster c(bench);
  std::vector<WarpPayload*> loads;
  for (unsigned core = 0; core < 4; ++core) loads.push_back(&c.load(core, 1, 32 * core, 4));
  bench.run();
  for (unsigned core = 0; core < 4; ++core) CHECK(c.core[core]->done(*loads[core]) == c.core_read(1, core));
  CHECK(c.stat("bank_conflict_cycles") == 0 + 1 + 2 + 3);
  for (unsigned core = 0; core < 4; ++core)
    CHECK(c.stat("core_" + std::to_string(core) + "_wait_cycles") == core);
}

TEST_CASE(
    "lowest index first, a core that loads in every cycle holds off the cores behind it until it pauses") {
  Bench bench;
  SharedMemoryParams turns;
  turns.arbitration = Arbitration::kRoundRobinUniform;
  Cluster lowest(bench), v2(bench, turns);
  constexpr Cycle kLoads = 12;
  WarpPayload *starved = nullptr, *served = nullptr;
  for (Cluster* c : {&lowest, &v2}) {
    for (Cycle i = 0; i < kLoads; ++i) c->load(0, 1 + i, 32 * static_cast<std::uint32_t>(i), 4);
    (c == &lowest ? starved : served) = &c->load(3, 1, 0x400, 4);
  }
  bench.run();
  CHECK(lowest.core[3]->done(*starved) == lowest.core_read(1, kLoads));
  CHECK(lowest.stat("core_0_wait_cycles") == 0);
  CHECK(lowest.stat("core_3_wait_cycles") == kLoads);
  CHECK(v2.core[3]->done(*served) == v2.core_read(1, 1));
  CHECK(v2.stat("core_3_wait_cycles") == 1);
}

TEST_CASE("cores in different banks do not disturb each other") {
  Bench bench;
  Cluster c(bench);
  std::vector<WarpPayload*> loads;
  for (unsigned core = 0; core < 4; ++core) loads.push_back(&c.load(core, 1, 0x4000 * core, 4));
  bench.run();
  for (unsigned core = 0; core < 4; ++core) CHECK(c.core[core]->done(*loads[core]) == c.core_read(1));
}

TEST_CASE("fully serialised: unaligned lanes of two cores share one path") {
  Bench bench;
  Cluster c(bench);
  // Different banks, no word bank in common: only the path is shared.
  WarpPayload& first = c.load(0, 1, 0x0004, 4);
  WarpPayload& second = c.load(1, 1, 0x4004, 4);
  bench.run();
  CHECK(c.core[0]->done(first) == c.core_read(1, 7));
  CHECK(c.core[1]->done(second) == c.core_read(1, 15));
  CHECK(c.stat("unaligned_requests") == 16);
  CHECK(c.dut.stats().activity.cycles(c.dut.stats().kSerialising) == 15);
  CHECK(c.dut.stats().activity.cycles(c.dut.stats().kBankConflict) == 0);
}

TEST_CASE("core serialised: one core per cycle, crossbar: both at once") {
  Bench bench;
  SharedMemoryParams params;
  params.unaligned = Unaligned::kCoreSerialised;
  Cluster serial(bench, params);
  params.unaligned = Unaligned::kCrossbar;
  Cluster crossbar(bench, params);
  WarpPayload& first = serial.load(0, 1, 0x0004, 4);
  WarpPayload& second = serial.load(1, 1, 0x4004, 4);
  WarpPayload& first_at_once = crossbar.load(0, 1, 0x0004, 4);
  WarpPayload& second_at_once = crossbar.load(1, 1, 0x4004, 4);
  bench.run();
  CHECK(serial.core[0]->done(first) == serial.core_read(1));
  CHECK(serial.core[1]->done(second) == serial.core_read(1, 1));
  CHECK(crossbar.core[0]->done(first_at_once) == crossbar.core_read(1));
  CHECK(crossbar.core[1]->done(second_at_once) == crossbar.core_read(1));
}

TEST_CASE("loads and stores have an unaligned path each, or share one") {
  Bench bench;
  Cluster apart(bench);
  SharedMemoryParams params;
  params.unaligned_joins_directions = true;
  Cluster joined(bench, params);
  WarpPayload& load = joined.load(0, 1, 0x0004, 4);
  WarpPayload& store = joined.store(1, 1, 0x4004, 4);
  WarpPayload& load_alone = apart.load(0, 1, 0x0004, 4);
  WarpPayload& store_alone = apart.store(1, 1, 0x4004, 4);
  bench.run();
  CHECK(joined.core[0]->done(load) == joined.core_read(1, 7));
  CHECK(joined.core[1]->done(store) == joined.core_write(1, 15));
  CHECK(apart.core[0]->done(load_alone) == apart.core_read(1, 7));
  CHECK(apart.core[1]->done(store_alone) == apart.core_write(1, 7));
}

TEST_CASE("a store whose turn it is on the joined path keeps loads waiting") {
  Bench bench;
  SharedMemoryParams params;
  params.unaligned_joins_directions = true;
  Cluster c(bench, params);
  WarpPayload& store = c.store(0, 1, 0x0004, 4);
  WarpPayload& load = c.load(1, 1, 0x4004, 4);
  bench.run();
  CHECK(c.core[0]->done(store) == c.core_write(1, 7));
  CHECK(c.core[1]->done(load) == c.core_read(1, 15));
}

TEST_CASE("the direct way is open while unaligned lanes wait") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& unaligned = c.load(0, 1, 0x0004, 4);
  std::vector<WarpPayload*> direct;
  for (Cycle i = 0; i < 8; ++i) direct.push_back(&c.load(1, 1 + i, 0x4000, 4));
  bench.run();
  CHECK(c.core[0]->done(unaligned) == c.core_read(1, 7));
  for (Cycle i = 0; i < 8; ++i) CHECK(c.core[1]->done(*direct[i]) == c.core_read(1 + i));
}

TEST_CASE("direct lanes beat unaligned lanes at a word bank, and nobody overtakes on the path") {
  Bench bench;
  Cluster c(bench);
  // Core 0, lane 0 wants word 1 of bank 0; core 1 holds bank 0 for three cycles; core 2 has one
  // unaligned lane in a free bank and waits behind core 0.
  WarpPayload& blocked = c.load(0, 1, 0x0004, 4, 1);
  std::vector<WarpPayload*> direct;
  for (Cycle i = 0; i < 3; ++i) direct.push_back(&c.load(1, 1 + i, 0x0020, 4));
  WarpPayload& behind = c.load(2, 1, 0x8004, 4, 1);
  bench.run();
  for (Cycle i = 0; i < 3; ++i) CHECK(c.core[1]->done(*direct[i]) == c.core_read(1 + i));
  CHECK(c.core[0]->done(blocked) == c.core_read(1, 3));
  CHECK(c.core[2]->done(behind) == c.core_read(1, 4));
}

TEST_CASE("a load and a store use one word bank in the same cycle, and the load sees the store") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& load = c.load(0, 1, 0x40, 4);
  WarpPayload& store = c.store(1, 1, 0x40, 4);
  LinePayload& read = c.row(tlm::TLM_READ_COMMAND, 0, 20, 0x40);
  LinePayload& write = c.row(tlm::TLM_WRITE_COMMAND, 2, 20, 0x40);
  write.data.fill(0x5A);
  bench.run();
  CHECK(c.core[0]->done(load) == c.core_read(1));
  CHECK(c.core[1]->done(store) == c.core_write(1));
  for (unsigned i = 0; i < 8; ++i) CHECK(load.access.data[i] == 0x2000 + i);
  CHECK(c.wide[0]->done(read) == c.wide_read(20));
  CHECK(c.wide[2]->done(write) == c.wide_write(20));
  CHECK(read.data[31] == 0x5A);
  CHECK(c.stat("bank_conflict_cycles") + c.stat("wide_wait_cycles") == 0);
}

TEST_CASE("v1: wide requests go before lanes, lane by lane elsewhere") {
  Bench bench;
  Cluster c(bench);
  constexpr Cycle kRows = 10;
  for (Cycle i = 0; i < kRows; ++i) c.row(tlm::TLM_READ_COMMAND, 0, 1 + i, 32 * i);
  WarpPayload& same_bank = c.load(0, 1, 0x100, 4);
  WarpPayload& other_bank = c.load(1, 1, 0x4000, 4);
  // Lanes 0-3 in bank 0, lanes 4-7 in bank 2: only the first half waits, its words are served late.
  auto mixed_addresses = c.addresses(0x200, 4);
  for (unsigned lane = 4; lane < 8; ++lane) mixed_addresses[lane] += 0x8000;
  WarpPayload& mixed = c.core[2]->warp(tlm::TLM_WRITE_COMMAND, 0xFF, mixed_addresses);
  mixed.access.data.fill(3);
  c.core[2]->at(1, mixed);
  bench.run_for(4);
  CHECK(c.word(0x8000 + 0x210) == 3);
  bench.run();
  CHECK(c.core[0]->done(same_bank) == c.core_read(1, kRows));
  CHECK(c.core[1]->done(other_bank) == c.core_read(1));
  CHECK(c.core[2]->done(mixed) == c.core_write(1));  // the rows are reads: no conflict with a store
}

TEST_CASE("part of the lanes go while the others wait for a wide request") {
  Bench bench;
  Cluster c(bench);
  c.row(tlm::TLM_READ_COMMAND, 0, 1, 0);
  auto addresses = c.addresses(0x200, 4);
  for (unsigned lane = 4; lane < 8; ++lane) addresses[lane] += 0x8000;
  WarpPayload& mixed = c.core[0]->warp(tlm::TLM_READ_COMMAND, 0xFF, addresses);
  c.core[0]->at(1, mixed);
  bench.run_for(3);  // cycle 2 was the first at the banks
  CHECK(c.stat("core_words_read") == 4);
  bench.run();
  CHECK(c.core[0]->done(mixed) == c.core_read(1, 1));
  CHECK(c.stat("core_words_read") == 8);
}

TEST_CASE("v2: a bank turns between a wide port and the cores") {
  Bench bench;
  SharedMemoryParams params;
  params.arbitration = Arbitration::kRoundRobinUniform;
  Cluster c(bench, params);
  constexpr Cycle kRows = 8;
  std::vector<LinePayload*> rows;
  std::vector<WarpPayload*> first, second;
  for (Cycle i = 0; i < kRows; ++i) {
    rows.push_back(&c.row(tlm::TLM_READ_COMMAND, 0, 1 + i, 32 * i));
    first.push_back(&c.load(0, 1 + i, 0x400, 4));
    second.push_back(&c.load(1, 1 + i, 0x600, 4));
  }
  bench.run();
  for (Cycle i = 0; i < kRows; ++i) {
    CHECK(c.wide[0]->done(*rows[i]) == c.wide_read(1, 3 * i));
    CHECK(c.core[0]->done(*first[i]) == c.core_read(1, 3 * i + 1));
    CHECK(c.core[1]->done(*second[i]) == c.core_read(1, 3 * i + 2));
  }
}

TEST_CASE("v2: words the chosen source leaves free go to the others") {
  Bench bench;
  SharedMemoryParams params;
  params.arbitration = Arbitration::kRoundRobinUniform;
  Cluster c(bench, params);
  WarpPayload& low = c.core[0]->warp(tlm::TLM_READ_COMMAND, 0x0F, c.addresses(0x40, 4));
  WarpPayload& high = c.core[1]->warp(tlm::TLM_READ_COMMAND, 0xF0, c.addresses(0x80, 4));
  LinePayload& half = c.row(tlm::TLM_READ_COMMAND, 0, 20, 0, 16);
  WarpPayload& rest = c.core[1]->warp(tlm::TLM_READ_COMMAND, 0xF0, c.addresses(0x80, 4));
  c.core[0]->at(1, low);
  c.core[1]->at(1, high);
  c.core[1]->at(20, rest);
  bench.run();
  CHECK(c.core[0]->done(low) == c.core_read(1));
  CHECK(c.core[1]->done(high) == c.core_read(1));
  CHECK(c.wide[0]->done(half) == c.wide_read(20));
  CHECK(c.core[1]->done(rest) == c.core_read(20));
}
