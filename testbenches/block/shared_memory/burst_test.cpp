// SPDX-License-Identifier: Apache-2.0
// Bursts: the same service, cycle by cycle, as rows sent one per cycle.
#include <array>
#include <random>

#include "testbenches/block/shared_memory/cluster.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;

namespace {

constexpr unsigned kBeats = 8, kBeatBytes = 32, kBytes = kBeats * kBeatBytes;

/// Plans a burst of 8 rows with a buffer of its own.
struct Burst {
  Burst(Cluster& c, tlm::tlm_command command, unsigned port, Cycle t, std::uint64_t offset,
        unsigned beat = kBeatBytes)
      : payload(c.row(command, port, t, offset, kBytes)) {
    payload.set_data_ptr(data.data());
    payload.info.beat_bytes = static_cast<std::uint16_t>(beat);
  }
  std::array<unsigned char, kBytes> data{};
  LinePayload& payload;
};

void number(Cluster& c) {
  for (std::uint32_t i = 0; i < c.params.size; i += 4) c.set_word(i, i * 0x01000193u);
}

/// `under_way`: without the counters of whole requests, which count when one comes or is over.
void same_statistics(Cluster& a, Cluster& b, bool under_way) {
  a.dut.settle_stats();
  b.dut.settle_stats();
  for (std::size_t i = 0; i < a.dut.stats().counters().size(); ++i) {
    const auto &x = a.dut.stats().counters()[i], &y = b.dut.stats().counters()[i];
    if (under_way && (x.name == "wide_requests" || x.name == "wide_wait_cycles")) continue;
    INFO(x.name << " in cycle " << a.dut.now());
    CHECK(x.counter.value() == y.counter.value());
  }
  const auto &x = a.dut.stats().activity, &y = b.dut.stats().activity;
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(x.reason(i) << " in cycle " << a.dut.now());
    CHECK(x.cycles(i) == y.cycles(i));
  }
}

}  // namespace

TEST_CASE("a burst brings a row per cycle and is answered with the last one") {
  Bench bench;
  Cluster c(bench);
  number(c);
  Burst a(c, tlm::TLM_READ_COMMAND, 0, 5, 0x100), b(c, tlm::TLM_READ_COMMAND, 1, 5, 0x4000),
      next(c, tlm::TLM_READ_COMMAND, 0, 13, 0x200);
  bench.run();
  CHECK(c.wide[0]->done(a.payload) == c.wide_read(5, kBeats - 1));
  CHECK(c.wide[1]->done(b.payload) == c.wide_read(5, kBeats - 1));
  CHECK(c.wide[0]->done(next.payload) == c.wide_read(13, kBeats - 1));
  CHECK(std::memcmp(a.data.data(), c.dut.data() + 0x100, kBytes) == 0);
  CHECK(std::memcmp(b.data.data(), c.dut.data() + 0x4000, kBytes) == 0);
  CHECK(std::memcmp(next.data.data(), c.dut.data() + 0x200, kBytes) == 0);
  CHECK(c.stat("wide_requests") == 3 * kBeats);
  CHECK(c.stat("wide_wait_cycles") == 0);
  CHECK(c.stat("matrix_a_words_read") == 2 * kBeats * 8);
}

TEST_CASE("a burst sees a store that is served before or with its row and none behind it") {
  Bench bench;
  Cluster c(bench);
  // Row i of the burst is served in cycle 6 + i, a store sent in cycle t in t + 1.
  Burst burst(c, tlm::TLM_READ_COMMAND, 0, 5, 0);
  std::vector<LinePayload*> stores;
  for (const Cycle served : {8u, 9u, 10u}) {
    LinePayload& store = c.row(tlm::TLM_WRITE_COMMAND, 2, served - 1, 3 * kBeatBytes);
    store.data.fill(static_cast<unsigned char>(served));
  }
  bench.run();
  for (unsigned i = 0; i < kBytes; ++i) CHECK(burst.data[i] == (i / kBeatBytes == 3 ? 9 : 0));
  CHECK(c.word(3 * kBeatBytes) == 0x0A0A0A0A);
}

TEST_CASE("two bursts in one bank share it like rows") {
  Bench bench;
  SharedMemoryParams v2;
  v2.arbitration = Arbitration::kRoundRobinUniform;
  Cluster lowest(bench), turns(bench, v2);
  Burst a(lowest, tlm::TLM_READ_COMMAND, 0, 1, 0), b(lowest, tlm::TLM_READ_COMMAND, 1, 1, 0x1000),
      turns_a(turns, tlm::TLM_READ_COMMAND, 0, 1, 0), turns_b(turns, tlm::TLM_READ_COMMAND, 1, 1, 0x1000);
  bench.run();
  CHECK(lowest.wide[0]->done(a.payload) == lowest.wide_read(1, kBeats - 1));
  CHECK(lowest.wide[1]->done(b.payload) == lowest.wide_read(1, 2 * kBeats - 1));
  CHECK(turns.wide[0]->done(turns_a.payload) == turns.wide_read(1, 2 * kBeats - 2));
  CHECK(turns.wide[1]->done(turns_b.payload) == turns.wide_read(1, 2 * kBeats - 1));
}

TEST_CASE("statistics in the middle of a burst count the rows served so far") {
  Bench bench;
  Cluster c(bench);
  Burst burst(c, tlm::TLM_READ_COMMAND, 0, 1, 0);
  WarpTrafficAgent& pace = *c.core[0];  // keeps the clock from hopping
  for (Cycle t = 1; t < 30; ++t) pace.at(t, c.core[0]->warp(tlm::TLM_WRITE_COMMAND, 0, {}));
  bench.run_for(6);  // cycles 0 to 5; rows are served from cycle 2 on
  c.dut.catch_up();
  CHECK(c.stat("matrix_a_words_read") == 4 * 8);
  c.dut.settle_stats();
  CHECK(c.dut.stats().activity.total() == c.dut.now());
  bench.run();
  CHECK(c.stat("matrix_a_words_read") == kBeats * 8);
}

TEST_CASE("bursts behave like rows under random traffic, cycle by cycle") {
  Bench bench;
  std::mt19937 generator(7);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  struct Pair {
    std::unique_ptr<Cluster> rows, bursts;
    std::vector<std::array<LinePayload*, kBeats>> row;
    std::deque<Burst> burst;
    std::vector<unsigned> port;
    std::vector<std::array<WarpPayload*, 2>> lanes;
  };
  std::deque<Pair> pairs;
  for (const Arbitration policy : {Arbitration::kLowestIndexFirst, Arbitration::kRoundRobinUniform})
    for (const unsigned busy : {0u, 20u, 4u}) {  // a core access in so many cycles, 0: none
      Pair& p = pairs.emplace_back();
      SharedMemoryParams params;
      params.arbitration = policy;
      params.unaligned_joins_directions = policy == Arbitration::kLowestIndexFirst;
      params.unaligned = policy == Arbitration::kLowestIndexFirst
                             ? spica::shared_memory::Unaligned::kFullySerialised
                             : spica::shared_memory::Unaligned::kCoreSerialised;
      p.rows = std::make_unique<Cluster>(bench, params);
      p.bursts = std::make_unique<Cluster>(bench, params);
      number(*p.rows);
      number(*p.bursts);
      for (Cycle t = 1; t < 2000; ++t) {
        for (const unsigned port : {0u, 1u}) {
          if (t % kBeats != 1 || random() % 8 == 0) continue;
          const std::uint64_t offset = random() % (params.size / kBytes) * kBytes;
          p.port.push_back(port);
          p.burst.emplace_back(*p.bursts, tlm::TLM_READ_COMMAND, port, t, offset);
          auto& row = p.row.emplace_back();
          for (unsigned i = 0; i < kBeats; ++i)
            row[i] = &p.rows->row(tlm::TLM_READ_COMMAND, port, t + i, offset + i * kBeatBytes);
        }
        if (random() % 3 == 0) {
          const std::uint64_t offset = random() % (params.size / 32) * 32;
          const auto value = static_cast<unsigned char>(random());
          for (Cluster* c : {p.rows.get(), p.bursts.get()})
            c->row(tlm::TLM_WRITE_COMMAND, 2, t, offset).data.fill(value);
        }
        if (busy != 0 && random() % busy == 0) {
          const unsigned core = random() % 4;
          const std::uint32_t stride = random() % 2 == 0 ? 4 : 4 * (random() % 9);
          const std::uint32_t first = random() % (static_cast<std::uint32_t>(params.size) - 512) & ~3u;
          const bool store = random() % 2 == 0;
          auto& lanes = p.lanes.emplace_back();
          unsigned i = 0;
          for (Cluster* c : {p.rows.get(), p.bursts.get()})
            lanes[i++] = &(store ? c->store(core, t, first, stride) : c->load(core, t, first, stride));
        }
      }
    }
  for (unsigned slice = 0; slice < 40; ++slice) {
    bench.run_for(1 + random() % 100);
    for (Pair& p : pairs) same_statistics(*p.rows, *p.bursts, true);
  }
  bench.run();
  for (Pair& p : pairs) {
    same_statistics(*p.rows, *p.bursts, false);
    CHECK(p.rows->dut.idle());
    CHECK(p.bursts->dut.idle());
    unsigned late = 0, wrong = 0;
    for (std::size_t i = 0; i < p.burst.size(); ++i) {
      const unsigned port = p.port[i];
      late +=
          p.bursts->wide[port]->done(p.burst[i].payload) != p.rows->wide[port]->done(*p.row[i][kBeats - 1]);
      for (unsigned k = 0; k < kBeats; ++k)
        wrong += std::memcmp(&p.burst[i].data[k * kBeatBytes], p.row[i][k]->data.data(), kBeatBytes) != 0;
    }
    for (const auto& lanes : p.lanes) wrong += lanes[0]->access.data != lanes[1]->access.data;
    CHECK(p.burst.size() > 400);
    CHECK(late == 0);
    CHECK(wrong == 0);
    CHECK(std::memcmp(p.rows->dut.data(), p.bursts->dut.data(), p.rows->params.size) == 0);
  }
}

TEST_CASE("bursts that are not aligned to their beat or cut it short are refused") {
  Bench bench;
  Cluster c(bench);
  Burst shifted(c, tlm::TLM_READ_COMMAND, 0, 1, 16), odd(c, tlm::TLM_READ_COMMAND, 0, 2, 0, 24),
      wide(c, tlm::TLM_READ_COMMAND, 0, 3, 0, 64), beyond(c, tlm::TLM_READ_COMMAND, 0, 4, 0xFF20);
  bench.run();
  CHECK(shifted.payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(odd.payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(wide.payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(beyond.payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(c.stat("refused_requests") == 4);
}
