// SPDX-License-Identifier: Apache-2.0
// The decoupled tensor core's plain parts: arithmetic, layout, operand stream, accumulator rows.

#include "models/base/host_dispatch.h"
#include "models/tensor_core/decoupled/accumulator_rows.h"
#include "models/tensor_core/decoupled/operand_stream.h"
#include "models/tensor_core/dot_product.h"
#include "models/tensor_core/tile_layout.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/hgmma_model.h"

using namespace spica;
using namespace spica::tensor_core;
using spica::base::HostCode;
using namespace spica::testbench;

namespace {

void run_hgmma(FragmentRegisters& registers, const DotProductKernels& kernels, const TileBytes& a,
               const TileBytes& b) {
  alignas(32) std::uint32_t blocks_a[256], blocks_b[256], c[8];
  std::memcpy(blocks_a, a.data(), sizeof blocks_a);
  std::memcpy(blocks_b, b.data(), sizeof blocks_b);
  for (unsigned position = 0; position < tile::kPositions; ++position) {
    const unsigned set = position / tile::kRegisters, f = position % tile::kRegisters;
    std::memcpy(c, registers[f].data(), sizeof c);
    kernels.tile(&blocks_a[tile::block_offset(set, tile::a_block(f)) / 4],
                 &blocks_b[tile::block_offset(set, tile::first_column(f) / 2) / 4], c);
    std::memcpy(registers[f].data(), c, sizeof c);
  }
}

void check_all_hosts(Operand operand, bool fp16) {
  for (const HostCode code : {HostCode::kBaseline, HostCode::kAvx2}) {
    if (code == HostCode::kAvx2 && !spica::base::host_runs(HostCode::kAvx2)) continue;
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
      const bool special = round % 2 == 1;
      FragmentRegisters expected = random_fragments(random, fp16, special), actual = expected;
      const TileBytes a = random_tile(random, fp16, special), b = random_tile(random, fp16, special);
      hgmma_reference(expected, fp16, a, b);
      run_hgmma(actual, dot_product_kernels(operand, code), a, b);
      if (actual == expected) continue;
      for (unsigned reg = 0; reg < 32; ++reg)
        for (unsigned lane = 0; lane < 8; ++lane) {
          CAPTURE(round, reg, lane);
          REQUIRE(actual[reg][lane] == expected[reg][lane]);
        }
    }
  }
  SUCCEED();
}

/// Blocks whose first word is their number.
struct Numbered {
  explicit Numbered(std::uint32_t n) { words[0] = n; }
  const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(words); }
  std::uint32_t words[8] = {};
};

}  // namespace

TEST_CASE("an FP16 hgmma equals the scalar model in every bit") { check_all_hosts(Operand::kFp16, true); }
TEST_CASE("an FP32 hgmma equals the scalar model in every bit") { check_all_hosts(Operand::kFp32, false); }

TEST_CASE("the registers of an hgmma hold each element of the 16x16 tile exactly once") {
  unsigned seen[16][16] = {};
  for (unsigned f = 0; f < tile::kRegisters; ++f)
    for (unsigned lane = 0; lane < 8; ++lane) ++seen[tile::row(f, lane)][tile::column(f, lane)];
  for (const auto& row : seen)
    for (const unsigned count : row) CHECK(count == 1);
}

TEST_CASE("a block moves through queue, fill buffer and operand buffer in a cycle each") {
  OperandStream stream(16, 4, 2);
  stream.request();
  stream.request();
  stream.answer(Numbered(7).data());
  stream.advance();
  CHECK(stream.has_response());
  stream.answer(Numbered(8).data());
  stream.advance();  // 7 collected, 8 queued
  stream.advance();  // 8 collected
  CHECK_FALSE(stream.ready());
  stream.advance();
  REQUIRE(stream.ready());
  CHECK(stream.block(0)[0] == 7);
  CHECK(stream.block(1)[0] == 8);
  stream.release();
  CHECK(stream.empty());
}

TEST_CASE("full buffers hold answers back at the port, and with them their source ids") {
  constexpr std::size_t kIds = 6, kQueue = 4, kBlocks = 2;
  OperandStream stream(kIds, kQueue, kBlocks);
  std::uint32_t sent = 0;
  for (int cycle = 0; cycle < 40; ++cycle) {
    if (stream.can_request()) {
      stream.request();
      stream.answer(Numbered(sent++).data());
    }
    stream.advance();
  }
  CHECK(sent == kBlocks + kBlocks + kQueue + kIds);  // operand buffer, fill buffer, queue, ids
  CHECK_FALSE(stream.can_request());
  // Emptied one operand buffer per two cycles, everything comes out in order and without a gap.
  for (std::uint32_t pair = 0; pair < sent / 2; ++pair) {
    REQUIRE(stream.ready());
    CHECK(stream.block(0)[0] == 2 * pair);
    CHECK(stream.block(1)[0] == 2 * pair + 1);
    stream.release();
    stream.advance();
    stream.advance();
  }
  CHECK(stream.empty());
}

TEST_CASE("a pair of accumulator rows can be used a latency after its second row was read") {
  AccumulatorRows rows(7, 4);
  rows.read(10)[0] = 1;
  CHECK_FALSE(rows.ready(100));
  rows.read(11)[0] = 2;
  CHECK_FALSE(rows.ready(14));
  CHECK(rows.ready(15));
  CHECK(rows.use()[0] == 1);
  CHECK(rows.ready(15));
  CHECK(rows.use()[0] == 2);
  CHECK_FALSE(rows.ready(100));
}

TEST_CASE("accumulator rows keep their place until both of a pair are used") {
  AccumulatorRows rows(7, 4);
  for (base::Cycle i = 0; i < 7; ++i) {
    REQUIRE(rows.room());
    rows.read(i);
  }
  CHECK_FALSE(rows.room());
  rows.use();
  CHECK_FALSE(rows.room());
  rows.use();
  CHECK(rows.room());
}
