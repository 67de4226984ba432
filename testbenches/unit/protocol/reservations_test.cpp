// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/payload/reservations.h"

#include "testbenches/support/catch.h"

using namespace spica::protocol;

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
  Reservations reservations;
  for (const Case& c : cases) {
    const Reservations::Effect result = reservations.perform(c.op, 0, 64, c.old, c.operand);
    CHECK(result.answer == c.old);
    CHECK(result.stores);
    CHECK(result.stored == c.stored);
  }
}

TEST_CASE("store conditional succeeds once after load reserved by the same hart") {
  Reservations reservations;
  CHECK(reservations.perform(Atomic::kStoreConditional, 1, 64, 5, 6).answer == 1);
  CHECK(reservations.perform(Atomic::kLoadReserved, 1, 64, 5, 0).answer == 5);
  CHECK(reservations.holds(1, 64));
  CHECK(reservations.perform(Atomic::kStoreConditional, 2, 64, 5, 6).answer == 1);
  const Reservations::Effect result = reservations.perform(Atomic::kStoreConditional, 1, 64, 5, 6);
  CHECK(result.answer == 0);
  CHECK(result.stores);
  CHECK(result.stored == 6);
  const Reservations::Effect again = reservations.perform(Atomic::kStoreConditional, 1, 64, 6, 7);
  CHECK(again.answer == 1);
  CHECK_FALSE(again.stores);
}

TEST_CASE("any store to the word ends its reservations, stores next to it do not") {
  Reservations reservations;
  const auto reserve = [&] { reservations.perform(Atomic::kLoadReserved, 1, 64, 0, 0); };
  reserve();
  reservations.store(60, 4);
  reservations.store(68, 4);
  CHECK(reservations.holds(1, 64));
  reservations.store(67, 1);
  CHECK_FALSE(reservations.holds(1, 64));
  reserve();
  reservations.store(32, 64);
  CHECK_FALSE(reservations.holds(1, 64));
  reserve();
  reservations.perform(Atomic::kAdd, 2, 64, 0, 1);
  CHECK_FALSE(reservations.holds(1, 64));
  reserve();
  reservations.perform(Atomic::kLoadReserved, 2, 64, 0, 0);
  CHECK(reservations.perform(Atomic::kStoreConditional, 2, 64, 0, 1).answer == 0);
  CHECK(reservations.perform(Atomic::kStoreConditional, 1, 64, 1, 2).answer == 1);
}

TEST_CASE("a hart holds one reservation at a time") {
  Reservations reservations;
  reservations.perform(Atomic::kLoadReserved, 1, 64, 0, 0);
  reservations.perform(Atomic::kLoadReserved, 1, 128, 0, 0);
  CHECK_FALSE(reservations.holds(1, 64));
  CHECK(reservations.holds(1, 128));
  // A failed store conditional elsewhere ends it, too.
  CHECK(reservations.perform(Atomic::kStoreConditional, 1, 64, 0, 1).answer == 1);
  CHECK_FALSE(reservations.holds(1, 128));
}

TEST_CASE("a reservation is of a word and of one lane of one warp of one core") {
  Reservations reservations;
  Origin origin;
  origin.core = 1;
  origin.warp = 2;
  Origin core = origin, warp = origin;
  core.core = 2;
  warp.warp = 1;
  const std::uint64_t holder = Reservations::holder(origin, 3);
  CHECK(holder != Reservations::holder(origin, 2));
  CHECK(holder != Reservations::holder(core, 3));
  CHECK(holder != Reservations::holder(warp, 3));
  reservations.perform(Atomic::kLoadReserved, holder, 0x1'0000'0102, 0, 0);
  CHECK(reservations.holds(holder, 0x1'0000'0100));
  CHECK_FALSE(reservations.holds(holder, 0x100));
  CHECK(reservations.size() == 1);
  reservations.clear();
  CHECK(reservations.size() == 0);
}

TEST_CASE("load-reserved and no operation leave a word as it is, store-conditional the operand") {
  CHECK(atomic_result(Atomic::kLoadReserved, 5, 6) == 5);
  CHECK(atomic_result(Atomic::kNone, 5, 6) == 5);
  CHECK(atomic_result(Atomic::kStoreConditional, 5, 6) == 6);
}

TEST_CASE("a watched range hears of each store that touches it, and of no other") {
  Reservations reservations;
  reservations.stored({}, 100, 4);  // nobody watches
  unsigned heard = 0;
  reservations.watch(100, 108, [&](const Origin&, std::uint64_t, unsigned) { ++heard; });
  reservations.stored({}, 96, 4);
  reservations.stored({}, 108, 4);
  CHECK(heard == 0);
  reservations.stored({}, 104, 4);
  reservations.stored({}, 107, 1);
  reservations.stored({}, 96, 32);
  CHECK(heard == 3);
  reservations.clear();  // the machine's reset
  reservations.stored({}, 100, 4);
  CHECK(heard == 4);
}

TEST_CASE("the thread whose atomic changed a word last is known") {
  Reservations reservations;
  const Origin third{Origin::Unit::kCore, 3, 2, 0x80000000, 1u << 5}, fourth{Origin::Unit::kCore, 4, 2, 0, 1};
  CHECK(!reservations.last_change(0x80001000));
  reservations.perform(Atomic::kSwap, Reservations::holder(third, 5), 0x80001000, 0, 1);
  reservations.perform(Atomic::kSwap, Reservations::holder(fourth, 0), 0x80001000, 1, 1);  // in vain
  const auto change = reservations.last_change(0x80001000);
  REQUIRE(change);
  CHECK(change->core == 2);
  CHECK(change->warp == 3);
  CHECK(change->lanes == 1u << 5);
  CHECK(!reservations.last_change(0x80001000 + 256 * 4));
  reservations.clear();
  CHECK(!reservations.last_change(0x80001000));
}
