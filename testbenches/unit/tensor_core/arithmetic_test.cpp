// SPDX-License-Identifier: Apache-2.0
// What tensor instructions do to registers, in both modes.
#include "models/tensor_core/arithmetic.h"

#include "testbenches/support/catch.h"
#include "testbenches/support/hgmma_model.h"

using namespace spica;
using namespace spica::tensor_core;
using namespace spica::testbench;

namespace {

struct alignas(32) Row {
  std::uint32_t words[8];
};

}  // namespace

TEST_CASE("the blocks of a position are those that the streams of a decoupled unit bring for it") {
  unsigned blocks_b = 0;
  for (unsigned p = 0; p < tile::kPositions; ++p) {
    const unsigned set = p / tile::kRegisters, f = p % tile::kRegisters;
    CHECK(tile::a_offset(p) == tile::block_offset(set, tile::a_block(f)));
    // Two blocks of B are there at a time, until their last use.
    CHECK(tile::b_offset(p) == tile::kBlockBytes * (blocks_b + tile::b_block(f)));
    if (tile::last_use_of_b(p)) blocks_b += tile::kColumnBlocks;
  }
  CHECK(blocks_b == tile::kBlocks);
}

TEST_CASE("a product of whole tiles equals the scalar model in every bit") {
  for (const bool fp16 : {true, false}) {
    TensorCoreParams params;
    params.operand = fp16 ? Operand::kFp16 : Operand::kFp32;
    std::mt19937 random(5);
    for (int round = 0; round < 20; ++round) {
      FragmentRegisters expected = random_fragments(random, fp16, round % 2 == 1);
      alignas(32) std::uint32_t c[32][8];
      std::memcpy(c, expected.data(), sizeof c);
      const TileBytes a = random_tile(random, fp16, false), b = random_tile(random, fp16, false);
      hgmma_reference(expected, fp16, a, b);
      tensor_core::Arithmetic(params).multiply_tiles(a.data(), b.data(), c[0]);
      CHECK(std::memcmp(c, expected.data(), sizeof c) == 0);
    }
  }
}

TEST_CASE("a step pair changes the active lanes of both accumulator rows and no other") {
  const TensorCoreParams params;
  const tensor_core::Arithmetic arithmetic(params);
  Row a[2], b[2], all[2], some[2];
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned lane = 0; lane < 8; ++lane) {
      const auto bits = [](float value) {
        std::uint32_t word;
        std::memcpy(&word, &value, 4);
        return word;
      };
      a[i].words[lane] = bits(static_cast<float>(lane + 1 + 10 * i));
      b[i].words[lane] = bits(static_cast<float>(2 * lane + i) + 0.5f);
      all[i].words[lane] = some[i].words[lane] = bits(100.0f + static_cast<float>(lane));
    }
  const Row before[2] = {all[0], all[1]};
  arithmetic.multiply_pair(1, 0xFF, {a[0].words, b[0].words, all[0].words});
  arithmetic.multiply_pair(1, 0xA5, {a[0].words, b[0].words, some[0].words});
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned lane = 0; lane < 8; ++lane) {
      CAPTURE(i, lane);
      CHECK(all[i].words[lane] != before[i].words[lane]);
      CHECK(some[i].words[lane] == (0xA5 >> lane & 1 ? all : before)[i].words[lane]);
    }
}
