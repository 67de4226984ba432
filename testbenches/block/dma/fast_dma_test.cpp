// SPDX-License-Identifier: Apache-2.0
// The DMA of the fast mode between a global and a shared memory and an accumulator of FP32 rows.
#include <cstring>

#include "testbenches/block/dma/fast_dma_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using protocol::Move;

TEST_CASE("in the fast mode a load fills the rows of each block and counts its bus beats") {
  FastBench b;
  CHECK(b.perform(FastBench::move(Move::Kind::kGlobalToShared, 0x80000010, 3, 2)));
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned block = 0; block < 2; ++block)
      CHECK(std::memcmp(&b.shared[row * 32 + block * 256], &b.global[0x10 + row * 128 + block * 32], 32) ==
            0);
  CHECK(b.shared[3 * 32] == 9);
  CHECK(b.cycles == 3 * 2);
  CHECK(b.dut.work_done() == 3 * 64);
}

TEST_CASE(
    "in the fast mode a load that leaves memory keeps what is mapped, like the requests of the cycle mode") {
  FastBench b;
  // The last 48 bytes of memory and 16 behind it: two requests, the second of which fails.
  CHECK_FALSE(b.perform(FastBench::move(Move::Kind::kGlobalToShared, 0x80000000 + 4096 - 48, 1, 2)));
  CHECK(std::memcmp(&b.shared[0], &b.global[4096 - 48], 32) == 0);
  CHECK(std::memcmp(&b.shared[256], &b.global[4096 - 16], 16) == 0);
  for (unsigned i = 16; i < 32; ++i) CHECK(b.shared[256 + i] == 0);
}

TEST_CASE("in the fast mode a store that leaves memory writes what is mapped") {
  FastBench b;
  for (unsigned i = 0; i < 16; ++i) b.accumulator[i / 8 * 64 + i % 8] = static_cast<float>(i);
  CHECK_FALSE(b.perform(FastBench::move(Move::Kind::kAccumulatorToGlobal, 0x80000000 + 4096 - 48, 1, 2)));
  float stored[12];
  std::memcpy(stored, &b.global[4096 - 48], sizeof stored);
  for (unsigned i = 0; i < 12; ++i) CHECK(stored[i] == static_cast<float>(i));
}

TEST_CASE("in the fast mode the DMA works on after a command that failed") {
  FastBench b;
  CHECK_FALSE(b.perform(FastBench::move(Move::Kind::kGlobalToShared, 0x10000000, 8, 2)));
  CHECK(b.perform(FastBench::move(Move::Kind::kGlobalToAccumulator, 0x80000000, 2, 2)));
  CHECK(std::memcmp(&b.accumulator[0], &b.global[0], 32) == 0);
  CHECK(std::memcmp(&b.accumulator[9 * 8], &b.global[128 + 32], 32) == 0);
  Move to_shared = FastBench::move(Move::Kind::kAccumulatorToShared, 4096 - 32, 2, 1);
  to_shared.global_stride = 32;
  CHECK_FALSE(b.perform(to_shared));  // the second row lies behind shared memory
  CHECK(std::memcmp(&b.shared[4096 - 32], &b.global[0], 32) == 0);
  CHECK(b.cycles == 2);
}
