// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/shared_memory/cluster.h"

#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;

TEST_CASE("a row read brings its bytes after the buffers and the bank, not before") {
  Bench bench;
  Cluster c(bench);
  for (unsigned i = 0; i < 32; ++i) c.dut.data()[0x4020 + i] = static_cast<unsigned char>(i + 1);
  LinePayload& row = c.row(tlm::TLM_READ_COMMAND, 0, 7, 0x4020);
  bench.run_for(c.wide_read(7));
  CHECK(c.wide[0]->done(row) == kNever);
  bench.run();
  CHECK(c.wide[0]->done(row) == c.wide_read(7));
  for (unsigned i = 0; i < 32; ++i) CHECK(row.data[i] == i + 1);
}

TEST_CASE("the buffer counts each way, without it a wide request still needs a cycle to its bank") {
  Bench bench;
  std::deque<Cluster> variants;
  std::vector<LinePayload*> rows;
  for (const Cycle latency : {0u, 1u, 2u, 4u}) {
    SharedMemoryParams params;
    params.wide_buffer_latency = latency;
    rows.push_back(&variants.emplace_back(bench, params).row(tlm::TLM_READ_COMMAND, 0, 7, 0));
  }
  bench.run();
  CHECK(variants[0].wide[0]->done(*rows[0]) == 7 + 1 + variants[0].params.read_latency);
  for (std::size_t i = 1; i < variants.size(); ++i)
    CHECK(variants[i].wide[0]->done(*rows[i]) == variants[i].wide_read(7));
}

TEST_CASE("a row per cycle and port is sustained while the rows are in different banks") {
  Bench bench;
  Cluster c(bench);
  std::vector<LinePayload*> a, b, d;
  for (Cycle i = 0; i < 100; ++i) {
    a.push_back(&c.row(tlm::TLM_READ_COMMAND, 0, 1 + i, i * 32));
    b.push_back(&c.row(tlm::TLM_READ_COMMAND, 1, 1 + i, 0x4000 + i * 32));
    d.push_back(&c.row(tlm::TLM_WRITE_COMMAND, 2, 1 + i, 0x8000 + i * 32));
  }
  bench.run();
  for (Cycle i = 0; i < 100; ++i) {
    CHECK(c.wide[0]->done(*a[i]) == c.wide_read(1 + i));
    CHECK(c.wide[1]->done(*b[i]) == c.wide_read(1 + i));
    CHECK(c.wide[2]->done(*d[i]) == c.wide_write(1 + i));
  }
  CHECK(c.stat("wide_wait_cycles") == 0);
  CHECK(c.stat("matrix_a_words_read") == 800);
  CHECK(c.stat("matrix_b_words_read") == 800);
  CHECK(c.stat("dma_words_written") == 800);
}

TEST_CASE("two ports that read one bank share it: half the rate each, or the lowest index first") {
  Bench bench;
  SharedMemoryParams v2;
  v2.arbitration = Arbitration::kRoundRobinUniform;
  Cluster lowest(bench), turns(bench, v2);
  constexpr Cycle kRows = 20;
  std::vector<LinePayload*> a, b, turns_a, turns_b;
  for (Cycle i = 0; i < kRows; ++i) {
    a.push_back(&lowest.row(tlm::TLM_READ_COMMAND, 0, 1 + i, i * 32));
    b.push_back(&lowest.row(tlm::TLM_READ_COMMAND, 1, 1 + i, 0x1000 + i * 32));
    turns_a.push_back(&turns.row(tlm::TLM_READ_COMMAND, 0, 1 + i, i * 32));
    turns_b.push_back(&turns.row(tlm::TLM_READ_COMMAND, 1, 1 + i, 0x1000 + i * 32));
  }
  bench.run();
  for (Cycle i = 0; i < kRows; ++i) {
    CHECK(lowest.wide[0]->done(*a[i]) == lowest.wide_read(1 + i));
    CHECK(lowest.wide[1]->done(*b[i]) == lowest.wide_read(1, kRows + i));
    CHECK(turns.wide[0]->done(*turns_a[i]) == turns.wide_read(1, 2 * i));
    CHECK(turns.wide[1]->done(*turns_b[i]) == turns.wide_read(1, 2 * i + 1));
  }
}

TEST_CASE("rows of 16 bytes in the two halves of a line do not conflict") {
  Bench bench;
  Cluster c(bench);
  LinePayload& low = c.row(tlm::TLM_READ_COMMAND, 0, 1, 0, 16);
  LinePayload& high = c.row(tlm::TLM_READ_COMMAND, 1, 1, 16, 16);
  LinePayload& both = c.row(tlm::TLM_READ_COMMAND, 2, 1, 0, 32);
  bench.run();
  CHECK(c.wide[0]->done(low) == c.wide_read(1));
  CHECK(c.wide[1]->done(high) == c.wide_read(1));
  CHECK(c.wide[2]->done(both) == c.wide_read(1, 1));
  CHECK(c.stat("wide_wait_cycles") == 1);
}

TEST_CASE("in a line of 16 words two rows of 32 bytes are served in one cycle") {
  Bench bench;
  SharedMemoryParams params;
  params.size = 128 * 1024;
  params.words = 16;
  Cluster c(bench, params);
  LinePayload& low = c.row(tlm::TLM_READ_COMMAND, 0, 1, 0);
  LinePayload& high = c.row(tlm::TLM_READ_COMMAND, 1, 1, 32);
  LinePayload& line = c.row(tlm::TLM_READ_COMMAND, 2, 1, 64, 64);
  bench.run();
  CHECK(c.wide[0]->done(low) == c.wide_read(1));
  CHECK(c.wide[1]->done(high) == c.wide_read(1));
  CHECK(c.wide[2]->done(line) == c.wide_read(1, 1));
}

TEST_CASE("byte enables keep the other bytes of a row") {
  Bench bench;
  Cluster c(bench);
  for (std::uint32_t i = 0; i < 8; ++i) c.set_word(4 * i, 0x1111'1111);
  LinePayload& row = c.row(tlm::TLM_WRITE_COMMAND, 2, 1, 0);
  row.data.fill(0xEE);
  row.use_byte_enables();
  row.enables[1] = row.enables[30] = 0xFF;
  bench.run();
  CHECK(c.word(0) == 0x1111'EE11);
  CHECK(c.word(28) == 0x11EE'1111);
  CHECK(c.word(4) == 0x1111'1111);
}

TEST_CASE("wide requests outside, across a line or without a command are refused") {
  Bench bench;
  Cluster c(bench);
  LinePayload& outside = c.row(tlm::TLM_READ_COMMAND, 0, 1, 0x10000);
  LinePayload& beyond = c.row(tlm::TLM_READ_COMMAND, 0, 2, 0xFFF0);
  LinePayload& across = c.row(tlm::TLM_WRITE_COMMAND, 0, 3, 16);
  LinePayload& nothing = c.row(tlm::TLM_IGNORE_COMMAND, 0, 4, 0);
  LinePayload& far = c.row(tlm::TLM_READ_COMMAND, 0, 5, ~0ull - 15);
  bench.run();
  CHECK(outside.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(beyond.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(across.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(nothing.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(far.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(c.wide[0]->done(outside) == c.wide_read(1));
  CHECK(c.stat("refused_requests") == 5);
}
