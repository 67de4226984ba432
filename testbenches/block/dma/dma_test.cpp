// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "testbenches/block/dma/dma_bench.h"

using namespace spica;
using namespace spica::testbench;
using dma::ReaderActivity;
using dma::WriterActivity;

namespace {

/// Fills global memory and checks a loaded block row by row.
void fill(DmaBench& b, std::uint32_t from, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) b.gmem.byte(from + i) = ReverseMemory::value(from + i);
}
unsigned wrong_bytes(DmaBench& b, const DmaCommand& m) {
  unsigned wrong = 0;
  for (unsigned r = 0; r < m.rows; ++r)
    for (unsigned x = 0; x < unsigned{m.blocks} * m.block_bytes; ++x) {
      const std::uint32_t to =
          m.local_address + r * m.local_stride + x / m.block_bytes * m.block_stride + x % m.block_bytes;
      wrong += b.smem.byte(to) != ReverseMemory::value(m.global_address + r * m.global_stride + x);
    }
  return wrong;
}

}  // namespace

TEST_CASE("an aligned load is one 64-byte read per row and arrives in blocks") {
  DmaBench b;
  b.build();
  fill(b, 0x1000, 8 * 256);
  auto& c = b.load(0x1000, 256, 0x400);
  b.agent.at(10, c);
  b.bench.run();
  CHECK(c.is_response_ok());
  CHECK(wrong_bytes(b, c.move) == 0);
  REQUIRE(b.gmem.seen().size() == 8);
  for (unsigned r = 0; r < 8; ++r) {
    CHECK(b.gmem.seen()[r].address == 0x1000 + 256 * r);
    CHECK(b.gmem.seen()[r].bytes == 64);
    // Command at 10, tracked at 11, first read into translation at 12, two cycles later on the bus,
    // then one per cycle.
    CHECK(b.gmem.seen()[r].cycle == 12 + dma::DmaParams{}.translate_latency + r);
  }
  CHECK(b.smem.seen().size() == 16);
  for (const auto& w : b.smem.seen()) CHECK(w.bytes == 32);
  // The first read returns after 20 cycles; from then on one of 16 rows per cycle, the last
  // acknowledged after 3.
  CHECK(b.agent.done(c) == b.gmem.seen().front().cycle + 20 + 15 + 3);
  CHECK(b.dma.idle());
}

TEST_CASE("a misaligned row start costs an extra request") {
  DmaBench b;
  b.build();
  fill(b, 0x1000, 4096);
  auto& c = b.load(0x1010, 256, 0, 1);      // 64 bytes from 16 past a 64-byte boundary
  auto& d = b.load(0x1420, 256, 0x800, 1);  // 32 past
  b.agent.at(10, c);
  b.agent.at(11, d);
  b.bench.run();
  CHECK(wrong_bytes(b, c.move) + wrong_bytes(b, d.move) == 0);
  const auto& seen = b.gmem.seen();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].address == 0x1000);  // 48 of 64 bytes beat 16 of 32
  CHECK(seen[0].bytes == 64);
  CHECK(seen[1].address == 0x1040);  // the last 16: the smaller request covers as much
  CHECK(seen[1].bytes == 32);
  CHECK(seen[2].address == 0x1420);  // 32 bytes from either size: the smaller
  CHECK(seen[2].bytes == 32);
  CHECK(seen[3].address == 0x1440);
  CHECK(seen[3].bytes == 32);
  CHECK(b.dma.stats().bytes_a.value() == 128);
  CHECK(b.dma.stats().read_bytes.value() == 160);
}

TEST_CASE("read bandwidth is 16 requests of 64 bytes per round trip") {
  const Cycle latency = 100;
  DmaBench b(latency);
  b.build();
  const unsigned commands = 32;
  for (unsigned i = 0; i < commands; ++i) b.agent.at(10 + i, b.load(0x1000 + i * 64, 4096, i * 512));
  b.bench.run();
  REQUIRE(b.dma.idle());
  const auto& seen = b.gmem.seen();
  REQUIRE(seen.size() == commands * 8);
  const Cycle cycles = seen.back().cycle - seen.front().cycle;
  // An id is in use from translation to response.
  const Cycle round_trip = latency + 2;
  const Cycle expected = (commands * 8 / 16 - 1) * round_trip;
  // Three tracked commands are 24 reads, more than the ids, so ids are the limit.
  CHECK(cycles >= expected);
  CHECK(cycles <= expected + 16 + round_trip / 4);
  b.dma.settle_stats();
  CHECK(b.dma.stats().reader.cycles(static_cast<unsigned>(ReaderActivity::kIds)) > expected / 2);
  CHECK(b.dma.stats().reader.total() == b.dma.now());
  CHECK(b.dma.stats().writer.total() == b.dma.now());
}

TEST_CASE("with a short round trip rows to shared memory limit a load to 32 bytes per cycle") {
  DmaBench b(6, 64, 2);
  b.build();
  const unsigned commands = 16;
  for (unsigned i = 0; i < commands; ++i) b.agent.at(10 + i, b.load(0x1000 + i * 64, 4096, i * 512));
  b.bench.run();
  const auto& seen = b.smem.seen();
  REQUIRE(seen.size() == commands * 16);
  const Cycle cycles = seen.back().cycle - seen.front().cycle;
  CHECK(cycles >= seen.size() - 1);
  CHECK(cycles <= seen.size() + commands * 6);
}

TEST_CASE("answers in any order fill the right rows") {
  DmaBench b;
  b.build(true);
  std::vector<CommandPayload*> loads;
  for (unsigned i = 0; i < 6; ++i) loads.push_back(&b.load(0x2000 + i * 0x1000 + 16 * i, 128, i * 512));
  for (unsigned i = 0; i < 6; ++i) b.agent.at(10 + i, *loads[i]);
  b.bench.run();
  CHECK(b.dma.idle());
  for (CommandPayload* c : loads) CHECK(wrong_bytes(b, c->move) == 0);
}

TEST_CASE("an address that does not exist fails its command only") {
  DmaBench b;
  b.build(true);
  b.reverse.bad = 0x2040;
  auto& bad = b.load(0x2000, 64, 0);
  auto& good = b.load(0x8000, 64, 512);
  b.agent.at(10, bad);
  b.agent.at(11, good);
  b.bench.run();
  CHECK(bad.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(good.is_response_ok());
  CHECK(b.dma.idle());
}

TEST_CASE("a slow bus and a slow shared memory hold the DMA up and lose nothing") {
  DmaBench b(5, 1, 9, 1);
  b.build();
  fill(b, 0x1000, 8192);
  std::vector<CommandPayload*> loads;
  for (unsigned i = 0; i < 4; ++i) loads.push_back(&b.load(0x1000 + i * 64, 256, i * 512));
  for (unsigned i = 0; i < 4; ++i) b.agent.at(10 + i, *loads[i]);
  b.bench.run();
  REQUIRE(b.dma.idle());
  for (CommandPayload* c : loads) CHECK(wrong_bytes(b, c->move) == 0);
  // Shared memory takes one row of 64 per 9 cycles.
  CHECK(b.smem.seen().size() == 64);
  CHECK(b.agent.done(*loads[3]) >= 64 * 9);
  b.dma.settle_stats();
  CHECK(b.dma.stats().reader.cycles(static_cast<unsigned>(ReaderActivity::kBusHeld)) > 0);
}

TEST_CASE("a full queue holds further commands until there is room") {
  DmaBench b(50);
  b.build();
  const unsigned queue = 8, tracked = 3;
  std::vector<CommandPayload*> loads;
  for (unsigned i = 0; i < queue + tracked + 2; ++i) loads.push_back(&b.load(0x1000, 64, 0));
  for (CommandPayload* c : loads) b.agent.at(10, *c);
  b.bench.run();
  CHECK(b.dma.idle());
  CHECK(b.agent.accepted(*loads[queue - 1]) == 10);
  CHECK(b.agent.accepted(*loads[queue]) > 10);
  CHECK(b.agent.accepted(*loads.back()) > b.agent.done(*loads[0]));
}

TEST_CASE("a store to global memory joins blocks to 64 bytes and enables only its bytes") {
  DmaBench b;
  b.build();
  for (unsigned i = 0; i < 16 * 32; ++i) b.accumulator.byte(i) = static_cast<std::uint8_t>(i * 3 + i / 256);
  for (unsigned i = 0; i < 4096; ++i) b.gmem.byte(0x3000 + i) = 0xEE;
  auto& aligned = b.store(DmaCommand::Kind::kAccumulatorToGlobal, 0x3000, 128, 0, 2);
  auto& shifted = b.store(DmaCommand::Kind::kAccumulatorToGlobal, 0x3810, 128, 0, 1);
  b.agent.at(10, aligned);
  b.agent.at(11, shifted);
  b.bench.run();
  REQUIRE(b.dma.idle());
  unsigned wrong = 0;
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned x = 0; x < 128; ++x) {
      const std::uint8_t want = x < 64 ? b.accumulator.byte((x / 32 * 8 + r) * 32 + x % 32) : 0xEE;
      wrong += b.gmem.byte(0x3000 + r * 128 + x) != want;
    }
    for (unsigned x = 0; x < 64; ++x) {
      const std::uint8_t want = x >= 16 && x < 48 ? b.accumulator.byte(r * 32 + x - 16) : 0xEE;
      wrong += b.gmem.byte(0x3800 + r * 128 + x) != want;
    }
  }
  CHECK(wrong == 0);
  // 8 writes of 64 bytes; a row 16 past a boundary has 32 bytes inside one aligned request of 64.
  CHECK(b.dma.stats().write_requests.value() == 16);
  CHECK(b.dma.stats().bytes_stored_global.value() == 8 * 96);
  // A write of two beats keeps the writer for two cycles.
  const auto& seen = b.gmem.seen();
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i].cycle >= seen[i - 1].cycle + 2);
}

TEST_CASE("stores to shared memory and loads take turns at its port") {
  DmaBench b;
  b.build();
  for (unsigned i = 0; i < 8 * 32; ++i) b.accumulator.byte(i) = static_cast<std::uint8_t>(i);
  fill(b, 0x1000, 8192);
  auto& load = b.load(0x1000, 256, 0);
  auto& store = b.store(DmaCommand::Kind::kAccumulatorToShared, 0x2000, 32, 0, 1);
  b.agent.at(10, load);
  b.agent.at(20, store);
  b.bench.run();
  CHECK(wrong_bytes(b, load.move) == 0);
  unsigned wrong = 0;
  for (unsigned i = 0; i < 256; ++i) wrong += b.smem.byte(0x2000 + i) != static_cast<std::uint8_t>(i);
  CHECK(wrong == 0);
  CHECK(b.smem.seen().size() == 24);
  b.dma.settle_stats();
  CHECK(b.dma.stats().writer.cycles(static_cast<unsigned>(WriterActivity::kIssuing)) ==
        8);  // of its own rows only
}

TEST_CASE("requests name the DMA as unit and the issuer of the command") {
  DmaBench b;
  b.build(true);
  auto& c = b.load(0x1000, 64, 0);
  b.agent.at(10, c);
  b.bench.run();
  REQUIRE(b.reverse.origins.size() == 8);
  for (const protocol::Origin& origin : b.reverse.origins) {
    CHECK(origin.unit == protocol::Origin::Unit::kDma);
    CHECK(origin.core == c.info.origin.core);
    CHECK(origin.warp == c.info.origin.warp);
    CHECK(origin.pc == c.info.origin.pc);
  }
}

TEST_CASE("a reset drops loads in flight and their late answers") {
  DmaBench b(40);
  b.build();
  fill(b, 0x1000, 8192);
  auto& dropped = b.load(0x1000, 256, 0);
  b.agent.at(10, dropped);
  b.bench.run_for(30);  // reads are out, none has come back
  CHECK_FALSE(b.dma.idle());
  b.dma.reset();
  b.agent.reset();
  CHECK(b.dma.idle());
  b.bench.run_for(200);
  CHECK(b.agent.done(dropped) == base::kNever);
  CHECK(b.smem.seen().empty());
  auto& again = b.load(0x1040, 256, 0x400);
  b.agent.at(b.dma.now() + 5, again);
  b.bench.run();
  CHECK(again.is_response_ok());
  CHECK(wrong_bytes(b, again.move) == 0);
}
