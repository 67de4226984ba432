// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/atomic_unit.h"

#include <catch2/catch.hpp>

using namespace spica::shared_memory;
using spica::protocol::Atomic;

TEST_CASE("every AMO answers the old value and stores the combination") {
  struct Case {
    Atomic op;
    std::uint32_t old, operand, stored;
  };
  const Case cases[] = {
      {Atomic::kAdd, 0xFFFF'FFFF, 3, 2},
      {Atomic::kSwap, 7, 9, 9},
      {Atomic::kXor, 0b1100, 0b1010, 0b0110},
      {Atomic::kOr, 0b1100, 0b1010, 0b1110},
      {Atomic::kAnd, 0b1100, 0b1010, 0b1000},
      {Atomic::kMin, 0xFFFF'FFFF, 1, 0xFFFF'FFFF},
      {Atomic::kMax, 0xFFFF'FFFF, 1, 1},
      {Atomic::kMinUnsigned, 0xFFFF'FFFF, 1, 1},
      {Atomic::kMaxUnsigned, 0xFFFF'FFFF, 1, 0xFFFF'FFFF},
      {Atomic::kMin, 5, 0x8000'0000, 0x8000'0000},
      {Atomic::kMax, 5, 0x8000'0000, 5},
  };
  AtomicUnit unit;
  for (const Case& c : cases) {
    const AtomicUnit::Result result = unit.execute(c.op, 0, 64, c.old, c.operand);
    CHECK(result.answer == c.old);
    CHECK(result.store);
    CHECK(result.stored == c.stored);
  }
}

TEST_CASE("store conditional succeeds once after load reserved by the same hart") {
  AtomicUnit unit;
  CHECK(unit.execute(Atomic::kStoreConditional, 1, 64, 5, 6).answer == 1);
  CHECK(unit.execute(Atomic::kLoadReserved, 1, 64, 5, 0).answer == 5);
  CHECK(unit.holds(1, 64));
  CHECK(unit.execute(Atomic::kStoreConditional, 2, 64, 5, 6).answer == 1);
  const AtomicUnit::Result result = unit.execute(Atomic::kStoreConditional, 1, 64, 5, 6);
  CHECK(result.answer == 0);
  CHECK(result.store);
  CHECK(result.stored == 6);
  const AtomicUnit::Result again = unit.execute(Atomic::kStoreConditional, 1, 64, 6, 7);
  CHECK(again.answer == 1);
  CHECK_FALSE(again.store);
}

TEST_CASE("any store to the word ends its reservations, stores next to it do not") {
  AtomicUnit unit;
  const auto reserve = [&] { unit.execute(Atomic::kLoadReserved, 1, 64, 0, 0); };
  reserve();
  unit.stored(60, 4);
  unit.stored(68, 4);
  CHECK(unit.holds(1, 64));
  unit.stored(67, 1);
  CHECK_FALSE(unit.holds(1, 64));
  reserve();
  unit.stored(32, 64);
  CHECK_FALSE(unit.holds(1, 64));
  reserve();
  unit.execute(Atomic::kAdd, 2, 64, 0, 1);
  CHECK_FALSE(unit.holds(1, 64));
  reserve();
  unit.execute(Atomic::kLoadReserved, 2, 64, 0, 0);
  CHECK(unit.execute(Atomic::kStoreConditional, 2, 64, 0, 1).answer == 0);
  CHECK(unit.execute(Atomic::kStoreConditional, 1, 64, 1, 2).answer == 1);
}

TEST_CASE("a hart holds one reservation at a time") {
  AtomicUnit unit;
  unit.execute(Atomic::kLoadReserved, 1, 64, 0, 0);
  unit.execute(Atomic::kLoadReserved, 1, 128, 0, 0);
  CHECK_FALSE(unit.holds(1, 64));
  CHECK(unit.holds(1, 128));
  // A failed store conditional elsewhere ends it, too.
  CHECK(unit.execute(Atomic::kStoreConditional, 1, 64, 0, 1).answer == 1);
  CHECK_FALSE(unit.holds(1, 128));
}
