// SPDX-License-Identifier: Apache-2.0
// The small parts of a matrix unit.
#include <cstring>
#include <vector>

#include "models/matrix_unit/activity_account.h"
#include "models/matrix_unit/block_multiplier.h"
#include "models/matrix_unit/busy_bit.h"
#include "models/matrix_unit/word_slot.h"
#include "testbenches/support/catch.h"

using namespace spica::matrix_unit;

namespace {

std::vector<unsigned char> rows_of(unsigned rows, float first) {
  std::vector<unsigned char> bytes(rows * 32);
  for (unsigned i = 0; i < rows * 8; ++i) {
    const float value = first + static_cast<float>(i);
    std::memcpy(&bytes[4 * i], &value, 4);
  }
  return bytes;
}

}  // namespace

TEST_CASE("weights that move in are used by the compute that flips, and by those after it") {
  const MatrixUnitParams p;
  BlockWork stay, flip;
  flip.flip = true;
  BlockMultiplier multiplier(p);
  OperandBlock one(p), a(p);
  std::vector<unsigned char> identity(8 * 32);
  for (unsigned i = 0; i < 8; ++i) {
    const float value = 1;
    std::memcpy(&identity[i * 36], &value, 4);
  }
  one.begin(8, 32);
  one.put(0, 8, identity.data());
  const auto rows = rows_of(8, 3);
  a.begin(8, 32);
  a.put(0, 8, rows.data());
  std::vector<float> out(64, -1);
  multiplier.preload({}, one);
  multiplier.compute(stay, a, out.data());
  CHECK(out == std::vector<float>(64));  // the weights in use are still those after reset
  multiplier.compute(flip, a, nullptr);
  multiplier.compute(stay, a, out.data());
  CHECK(std::memcmp(out.data(), rows.data(), rows.size()) == 0);
  multiplier.reset();
  multiplier.compute(stay, a, out.data());
  CHECK(out == std::vector<float>(64));
}

TEST_CASE("rows and columns that an operand does not have are zero whatever was there before") {
  const MatrixUnitParams p;
  OperandBlock block(p);
  const auto rows = rows_of(8, 1);
  block.begin(8, 32);
  block.put(0, 8, rows.data());
  block.begin(2, 12);
  block.put(0, 1, rows.data());
  block.put(1, 1, rows.data() + 32);
  float at[64];
  std::memcpy(at, block.data(), sizeof at);
  for (unsigned i = 0; i < 64; ++i) {
    INFO(i);
    CHECK(at[i] == (i / 8 < 2 && i % 8 < 3 ? static_cast<float>(i + 1) : 0.0f));
  }
}

TEST_CASE("the busy bit rises a latency after the first work and falls with the last") {
  BusyBit bit(2);
  CHECK_FALSE(bit.at(5, 5));
  bit.begin(10);
  bit.begin(11);  // more work does not move it
  CHECK_FALSE(bit.at(11, 11));
  CHECK(bit.at(12, 12));
  CHECK_FALSE(bit.at(11, 12));  // the cycle before
  bit.end(40);
  CHECK_FALSE(bit.at(40, 40));
  CHECK(bit.at(39, 40));
  bit.begin(40);
  CHECK(bit.at(39, 40));
  CHECK_FALSE(bit.at(41, 41));
  CHECK(bit.at(42, 42));
  bit.reset();
  CHECK_FALSE(bit.at(42, 42));
}

TEST_CASE("cycles between passes of the array are charged to waiting for operands") {
  MatrixUnitStats stats;
  stats.cycles.reset(0);
  ActivityAccount account(stats.cycles);
  const auto cycles = [&](Activity a) { return stats.cycles.cycles(static_cast<unsigned>(a)); };
  account.charge(Activity::kLoadWait, 0);
  account.pass_over(Activity::kPreloading, 8, 27);  // steps in cycles 20 to 27
  account.pass_over(Activity::kComputing, 8, 38);  // 31 to 38
  account.pass_over(Activity::kComputing, 8, 46);
  account.charge(Activity::kDraining, 47);
  stats.cycles.settle(50);
  CHECK(cycles(Activity::kPreloading) == 8);
  CHECK(cycles(Activity::kComputing) == 16);
  CHECK(cycles(Activity::kDraining) == 3);
  CHECK(cycles(Activity::kOperandWait) == 19 + 3);
  CHECK(cycles(Activity::kLoadWait) == 1);
}

TEST_CASE("of several words for a unit in a cycle one has the place") {
  WordSlot slot;
  using Offer = WordSlot::Offer;
  CHECK(slot.offer(2, 10) == Offer::kFree);
  CHECK(slot.offer(2, 10) == Offer::kSameInstruction);
  CHECK(slot.offer(1, 10) == Offer::kOtherCore);
  CHECK(slot.core() == 2);
  slot.take(1, 10);
  CHECK(slot.offer(1, 10) == Offer::kSameInstruction);
  CHECK(slot.offer(1, 11) == Offer::kFree);
  slot.reset();
  CHECK(slot.offer(3, 11) == Offer::kFree);
}
