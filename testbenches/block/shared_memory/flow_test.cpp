// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "testbenches/block/shared_memory/cluster.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;

TEST_CASE("a full queue holds the next request until the bank has served one") {
  Bench bench;
  std::deque<Cluster> variants;
  std::vector<std::vector<WarpPayload*>> loads;
  for (const Cycle depth : {1u, 2u, 4u}) {
    SharedMemoryParams params;
    params.core_queue_depth = depth;
    Cluster& c = variants.emplace_back(bench, params);
    loads.emplace_back();  // eight cycles each at the banks
    for (Cycle i = 0; i < depth + 2; ++i) loads.back().push_back(&c.load(0, 1, 4, 4));
  }
  bench.run();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Cluster& c = variants[v];
    const Cycle depth = c.params.core_queue_depth;
    for (Cycle i = 0; i < depth; ++i) CHECK(c.core[0]->accepted(*loads[v][i]) == 1);
    const Cycle first_served = 1 + c.params.core_request_latency + 7;
    CHECK(c.core[0]->accepted(*loads[v][depth]) == first_served);
    CHECK(c.core[0]->accepted(*loads[v][depth + 1]) == first_served + 8);
    for (Cycle i = 0; i < depth + 2; ++i) CHECK(c.core[0]->done(*loads[v][i]) == c.core_read(1, 7 + 8 * i));
  }
}

TEST_CASE("no more accesses are in flight than a core has source ids") {
  Bench bench;
  SharedMemoryParams params;
  params.source_ids = 3;
  params.core_queue_depth = 8;
  params.read_latency = 20;
  Cluster c(bench, params);
  std::vector<WarpPayload*> loads;
  for (Cycle i = 0; i < 6; ++i) loads.push_back(&c.load(0, 1 + i, 0, 4));
  bench.run();
  for (Cycle i = 0; i < 3; ++i) CHECK(c.core[0]->accepted(*loads[i]) == 1 + i);
  for (Cycle i = 3; i < 6; ++i) {
    const Cycle answered = c.core_read(1 + i - 3);
    CHECK(c.core[0]->accepted(*loads[i]) == answered);
    CHECK(c.core[0]->done(*loads[i]) == c.core_read(answered));
  }
}

TEST_CASE("a reset in mid-flight leaves a memory like a fresh one") {
  Bench bench;
  SharedMemoryParams v2;
  v2.arbitration = Arbitration::kRoundRobinUniform;
  std::deque<Cluster> variants;
  for (const SharedMemoryParams& params : {SharedMemoryParams{}, v2}) {
    Cluster& c = variants.emplace_back(bench, params);
    for (unsigned core = 0; core < 4; ++core)
      for (int i = 0; i < 5; ++i) c.store(core, 1, 4, 4);
    for (Cycle i = 0; i < 10; ++i) c.row(tlm::TLM_WRITE_COMMAND, 2, 1 + i, 0x8000 + 32 * i).data.fill(1);
  }
  bench.run_for(12);
  for (Cluster& c : variants) {
    CHECK_FALSE(c.dut.idle());
    const std::uint64_t written = c.stat("core_words_written");
    CHECK(written > 0);
    c.dut.reset();
    for (auto& agent : c.core) agent->reset();
    for (auto& agent : c.wide) agent->reset();
    CHECK(c.dut.idle());
    CHECK(std::all_of(c.dut.data(), c.dut.data() + c.dut.size(), [](unsigned char b) { return b == 0; }));
    CHECK(c.stat("core_words_written") == written);
  }
  bench.run_for(100);

  // Turns begin at the first again, and nothing comes from before.
  const auto t = static_cast<Cycle>(sc_core::sc_time_stamp() / bench.clock.period()) + 10;
  std::vector<std::vector<Payload*>> sent;
  for (Cluster& c : variants) {
    CHECK(c.dut.idle());
    sent.push_back({&c.store(0, t, 4, 4), &c.store(1, t, 0x4004, 4),
                    &c.row(tlm::TLM_READ_COMMAND, 0, t, 0x8000),
                    &c.row(tlm::TLM_READ_COMMAND, 1, t, 0x8000)});
  }
  bench.run();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Cluster& c = variants[i];
    CHECK(c.core[0]->done(*sent[i][0]) == c.core_write(t, 7));
    CHECK(c.core[1]->done(*sent[i][1]) == c.core_write(t, 15));
    CHECK(c.wide[0]->done(*sent[i][2]) == c.wide_read(t));
    CHECK(c.wide[1]->done(*sent[i][3]) == c.wide_read(t, 1));
  }
}

TEST_CASE("debug access and direct memory see the same bytes, take no time and count nothing") {
  Bench bench;
  Cluster c(bench);
  LinePayload& write = c.core[0]->line(tlm::TLM_WRITE_COMMAND, c.params.base + 0x120, 8);
  for (unsigned i = 0; i < 8; ++i) write.data[i] = static_cast<unsigned char>(i + 1);
  LinePayload& read = c.wide[0]->line(tlm::TLM_READ_COMMAND, 0x122, 4);
  LinePayload& outside = c.wide[0]->line(tlm::TLM_READ_COMMAND, 0xFFFE, 4);
  bench.run_for(1);
  CHECK(c.core[0]->socket->transport_dbg(write) == 8);
  CHECK(c.wide[0]->socket->transport_dbg(read) == 4);
  CHECK(read.data[0] == 3);
  CHECK(c.wide[0]->socket->transport_dbg(outside) == 0);
  tlm::tlm_dmi dmi;
  REQUIRE(c.core[0]->socket->get_direct_mem_ptr(read, dmi));
  CHECK(dmi.get_start_address() == c.params.base);
  CHECK(dmi.get_end_address() == c.params.base + c.params.size - 1);
  CHECK(dmi.get_dmi_ptr()[0x127] == 8);
  sc_core::sc_time delay;
  c.wide[0]->socket->b_transport(read, delay);
  CHECK(read.is_response_ok());
  c.wide[0]->socket->b_transport(outside, delay);
  CHECK(outside.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(c.dut.idle());
  for (const auto& entry : c.dut.stats().counters()) CHECK(entry.counter.value() == 0);
}

TEST_CASE("the dump names ports, warps and the lanes that wait") {
  Bench bench;
  Cluster c(bench);
  for (int i = 0; i < 4; ++i) c.load(1, 1, 4, 4).info.origin.warp = 5;
  bench.run_for(4);
  std::ostringstream out;
  c.dut.dump_state(out);
  CHECK_THAT(out.str(), Catch::Contains("dut.core_in_1") && Catch::Contains("warp 5") &&
                            Catch::Contains("unaligned 0xfc") && Catch::Contains("held at the socket"));
}

TEST_CASE("the block sleeps when it has nothing to do") {
  Bench bench;
  Cluster c(bench);
  c.load(0, 5, 0, 4);
  bench.run();
  CHECK(bench.clock.asleep());
  CHECK(bench.clock.now() <= c.core_read(5) + 1);
}
