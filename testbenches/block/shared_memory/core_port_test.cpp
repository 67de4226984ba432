// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/shared_memory/cluster.h"

#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;
using spica::protocol::Atomic;

TEST_CASE("an aligned warp load brings the right words at the earliest legal cycle, not before") {
  Bench bench;
  Cluster c(bench);
  for (std::uint32_t i = 0; i < 8; ++i) c.set_word(0x40 + 4 * i, 100 + i);
  WarpPayload& load = c.load(0, 10, 0x40, 4);
  bench.run_for(c.core_read(10));  // executes the cycles before the expected one
  CHECK(c.core[0]->done(load) == kNever);
  CHECK_FALSE(c.dut.idle());
  bench.run();
  CHECK(c.core[0]->done(load) == c.core_read(10));
  CHECK(load.is_response_ok());
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(load.access.data[i] == 100 + i);
  CHECK(c.dut.idle());
}

TEST_CASE("every latency parameter of the core path counts once") {
  Bench bench;
  std::deque<Cluster> variants;
  for (const Cycle read : {1u, 2u, 5u})
    for (const Cycle request : {1u, 3u})
      for (const Cycle response : {0u, 70u}) {
        SharedMemoryParams params;
        params.read_latency = read;
        params.write_latency = read + 1;
        params.core_request_latency = request;
        params.core_response_latency = response;
        variants.emplace_back(bench, params);
      }
  std::vector<std::pair<WarpPayload*, WarpPayload*>> sent;
  for (Cluster& c : variants) sent.emplace_back(&c.load(0, 10, 0x40, 4), &c.store(1, 10, 0x4040, 4));
  bench.run();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    CHECK(variants[i].core[0]->done(*sent[i].first) == variants[i].core_read(10));
    CHECK(variants[i].core[1]->done(*sent[i].second) == variants[i].core_write(10));
  }
}

TEST_CASE("a store takes effect at its bank and is acknowledged a write latency later") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& store = c.store(1, 5, 0x80, 4);
  const Cycle served = 5 + c.params.core_request_latency;
  bench.run_for(served);
  CHECK(c.word(0x80) == 0);
  bench.run_for(1);
  CHECK(c.word(0x80) == 0x2000);
  CHECK(c.word(0x9C) == 0x2007);
  bench.run();
  CHECK(c.core[1]->done(store) == c.core_write(5));
}

TEST_CASE("one aligned warp access per cycle and core is sustained") {
  Bench bench;
  Cluster c(bench);
  std::vector<WarpPayload*> loads;
  for (Cycle i = 0; i < 50; ++i) loads.push_back(&c.load(0, 10 + i, static_cast<std::uint32_t>(i) * 32, 4));
  bench.run();
  for (Cycle i = 0; i < 50; ++i) CHECK(c.core[0]->done(*loads[i]) == c.core_read(10 + i));
  CHECK(c.stat("bank_conflict_cycles") == 0);
}

TEST_CASE("n lanes on n lines of one word bank take n cycles") {
  Bench bench;
  std::deque<Cluster> variants;
  std::vector<WarpPayload*> loads;
  for (const Unaligned policy :
       {Unaligned::kFullySerialised, Unaligned::kCoreSerialised, Unaligned::kCrossbar})
    for (unsigned n = 1; n <= 8; ++n) {
      SharedMemoryParams params;
      params.unaligned = policy;
      Cluster& c = variants.emplace_back(bench, params);
      for (std::uint32_t i = 0; i < 8; ++i) c.set_word(32 * i, 7 * i + 1);
      loads.push_back(&c.load(2, 3, 0, 32, n));
    }
  bench.run();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    Cluster& c = variants[i];
    const auto n = static_cast<unsigned>(i % 8 + 1);
    CHECK(c.core[2]->done(*loads[i]) == c.core_read(3, n - 1));
    for (std::uint32_t lane = 0; lane < n; ++lane) CHECK(loads[i]->access.data[lane] == 7 * lane + 1);
    CHECK(c.stat("conflict_degree_" + std::to_string(n)) == 1);
    CHECK(c.stat("bank_conflict_cycles") == n - 1);
    CHECK(c.stat("unaligned_requests") == n - 1);
  }
}

TEST_CASE("lanes on one and the same word do not share an access") {
  Bench bench;
  Cluster c(bench);
  c.set_word(0x20, 42);
  WarpPayload& load = c.load(0, 3, 0x20, 0);
  bench.run();
  CHECK(c.core[0]->done(load) == c.core_read(3, 7));
  for (unsigned i = 0; i < 8; ++i) CHECK(load.access.data[i] == 42);
  CHECK(c.stat("core_words_read") == 8);
}

TEST_CASE("lanes on their own words of different lines and banks are one cycle") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& load = c.load(0, 3, 0, 32 + 4);
  WarpPayload& store = c.store(1, 3, 0x100, 0x1000 + 4);
  bench.run();
  CHECK(c.core[0]->done(load) == c.core_read(3));
  CHECK(c.core[1]->done(store) == c.core_write(3));
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(c.word(0x100 + i * 0x1004) == 0x2000 + i);
}

TEST_CASE("an access shifted by one word costs one cycle per lane on the serialised path") {
  Bench bench;
  std::deque<Cluster> variants;
  std::vector<std::pair<WarpPayload*, WarpPayload*>> sent;
  for (const Unaligned policy :
       {Unaligned::kFullySerialised, Unaligned::kCoreSerialised, Unaligned::kCrossbar}) {
    SharedMemoryParams params;
    params.unaligned = policy;
    Cluster& c = variants.emplace_back(bench, params);
    WarpPayload& store = c.store(0, 1, 4, 4);
    sent.emplace_back(&store, &c.load(0, 2, 4, 4));
  }
  bench.run();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Cluster& c = variants[i];
    const Cycle extra = c.params.unaligned == Unaligned::kFullySerialised ? 7 : 0;
    CHECK(c.core[0]->done(*sent[i].first) == c.core_write(1, extra));
    CHECK(c.core[0]->done(*sent[i].second) == c.core_read(2, 2 * extra));
    for (unsigned lane = 0; lane < 8; ++lane) CHECK(sent[i].second->access.data[lane] == 0x1000 + lane);
  }
}

TEST_CASE("bytes and half-words move alone and loads come zero-extended") {
  Bench bench;
  Cluster c(bench);
  c.set_word(0x100, 0xAABB'CCDD);
  auto& core = *c.core[0];
  const auto base = static_cast<std::uint32_t>(c.params.base);
  WarpPayload& byte = core.warp(tlm::TLM_WRITE_COMMAND, 1, {base + 0x101}, 1);
  byte.access.data[0] = 0xFFFF'FF11;
  WarpPayload& half = core.warp(tlm::TLM_WRITE_COMMAND, 1, {base + 0x102}, 2);
  half.access.data[0] = 0xFFFF'2233;
  WarpPayload& load_byte = core.warp(tlm::TLM_READ_COMMAND, 1, {base + 0x103}, 1);
  WarpPayload& load_half = core.warp(tlm::TLM_READ_COMMAND, 1, {base + 0x102}, 2);
  load_byte.access.data[0] = load_half.access.data[0] = ~0u;
  Cycle t = 1;
  for (WarpPayload* p : {&byte, &half, &load_byte, &load_half}) core.at(t++, *p);
  bench.run();
  CHECK(c.word(0x100) == 0x2233'11DD);
  CHECK(load_byte.access.data[0] == 0x22);
  CHECK(load_half.access.data[0] == 0x2233);
}

TEST_CASE("inactive lanes move nothing") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& store = c.core[0]->warp(tlm::TLM_WRITE_COMMAND, 0b1010, c.addresses(0, 4));
  store.access.data.fill(9);
  c.core[0]->at(1, store);
  bench.run();
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(c.word(4 * i) == ((0b1010 >> i & 1) != 0 ? 9u : 0u));
  CHECK(c.stat("core_words_written") == 2);
}

TEST_CASE("an access outside is refused as a whole and the port goes on") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& bad = c.store(0, 1, 0xFFF0, 4);  // the upper four lanes are outside
  WarpPayload& good = c.store(0, 2, 0, 4);
  bench.run();
  CHECK(bad.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(c.core[0]->done(bad) == c.core_write(1));
  CHECK(c.word(0xFFF0) == 0);
  CHECK(good.is_response_ok());
  CHECK(c.core[0]->done(good) == c.core_write(2));
  CHECK(c.stat("refused_requests") == 1);
  CHECK(c.stat("core_accesses") == 1);
}

TEST_CASE("a core request without a warp access is refused") {
  Bench bench;
  Cluster c(bench);
  LinePayload& line = c.core[0]->line(tlm::TLM_READ_COMMAND, c.params.base, 4);
  c.core[0]->at(1, line);
  bench.run();
  CHECK(line.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST_CASE("atomics of all lanes of four cores on one word lose nothing") {
  Bench bench;
  Cluster c(bench);
  std::vector<WarpPayload*> adds;
  for (unsigned core = 0; core < 4; ++core) {
    WarpPayload& add = c.load(core, 1, 0x40, 0);
    add.info.atomic = Atomic::kAdd;
    add.access.data.fill(1);
    adds.push_back(&add);
  }
  bench.run();
  CHECK(c.word(0x40) == 32);
  std::vector<bool> seen(32);
  Cycle last = 0;
  for (unsigned core = 0; core < 4; ++core) {
    last = std::max(last, c.core[core]->done(*adds[core]));
    for (unsigned lane = 0; lane < 8; ++lane) {
      REQUIRE(adds[core]->access.data[lane] < 32);
      CHECK_FALSE(seen[adds[core]->access.data[lane]]);
      seen[adds[core]->access.data[lane]] = true;
    }
  }
  CHECK(last == c.core_read(1, 31));  // one per cycle on this word
  CHECK(c.stat("atomics") == 32);
  CHECK(c.stat("core_words_read") == 32);
  CHECK(c.stat("core_words_written") == 32);
}

TEST_CASE("an atomic needs both ports of its word bank, a store in the same cycle goes first") {
  Bench bench;
  Cluster c(bench);
  WarpPayload& add = c.load(0, 1, 0x40, 4, 1);
  add.info.atomic = Atomic::kAdd;
  add.access.data[0] = 1;
  WarpPayload& store = c.store(1, 1, 0x40, 4, 1);
  bench.run();
  CHECK(c.core[1]->done(store) == c.core_write(1));
  CHECK(c.core[0]->done(add) == c.core_read(1, 1));
  CHECK(add.access.data[0] == 0x2000);
  CHECK(c.word(0x40) == 0x2001);
}

TEST_CASE("store conditional fails after another core's store to the word") {
  Bench bench;
  Cluster c(bench);
  const auto atomic = [&](Cycle t, Atomic op, std::uint32_t offset, std::uint32_t value) -> WarpPayload& {
    WarpPayload& payload = c.load(0, t, offset, 4, 1);
    payload.info.atomic = op;
    payload.access.data[0] = value;
    return payload;
  };
  WarpPayload& reserve = atomic(1, Atomic::kLoadReserved, 0x40, 0);
  WarpPayload& success = atomic(5, Atomic::kStoreConditional, 0x40, 11);
  atomic(10, Atomic::kLoadReserved, 0x40, 0);
  c.store(1, 12, 0x40, 4);
  WarpPayload& failure = atomic(15, Atomic::kStoreConditional, 0x40, 22);
  atomic(20, Atomic::kLoadReserved, 0x40, 0);
  c.row(tlm::TLM_WRITE_COMMAND, 2, 22, 0x40).data.fill(0);
  WarpPayload& after_row = atomic(30, Atomic::kStoreConditional, 0x40, 33);
  bench.run();
  CHECK(reserve.access.data[0] == 0);
  CHECK(success.access.data[0] == 0);
  CHECK(failure.access.data[0] == 1);
  CHECK(after_row.access.data[0] == 1);
  CHECK(c.word(0x40) == 0);
}
