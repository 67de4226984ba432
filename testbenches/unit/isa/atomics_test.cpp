// SPDX-License-Identifier: Apache-2.0
#include "models/isa/atomics.h"

#include <catch2/catch.hpp>

namespace spica::isa {

TEST_CASE("atomic operations combine the old word and the operand") {
  constexpr std::uint32_t kMinus2 = 0xFFFFFFFE;
  CHECK(atomic_result(Opcode::kAmoswapW, 1, 2) == 2);
  CHECK(atomic_result(Opcode::kAmoaddW, kMinus2, 3) == 1);
  CHECK(atomic_result(Opcode::kAmoxorW, 0x0FF0, 0x00FF) == 0x0F0F);
  CHECK(atomic_result(Opcode::kAmoandW, 0x0FF0, 0x00FF) == 0x00F0);
  CHECK(atomic_result(Opcode::kAmoorW, 0x0FF0, 0x00FF) == 0x0FFF);
  CHECK(atomic_result(Opcode::kAmominW, kMinus2, 1) == kMinus2);
  CHECK(atomic_result(Opcode::kAmominW, 1, kMinus2) == kMinus2);
  CHECK(atomic_result(Opcode::kAmomaxW, kMinus2, 1) == 1);
  CHECK(atomic_result(Opcode::kAmomaxW, 1, kMinus2) == 1);
  CHECK(atomic_result(Opcode::kAmominuW, kMinus2, 1) == 1);
  CHECK(atomic_result(Opcode::kAmominuW, 1, kMinus2) == 1);
  CHECK(atomic_result(Opcode::kAmomaxuW, kMinus2, 1) == kMinus2);
  CHECK(atomic_result(Opcode::kAmomaxuW, 1, kMinus2) == kMinus2);
  CHECK(atomic_result(Opcode::kScW, 1, 2) == 2);
  CHECK(atomic_result(Opcode::kLrW, 1, 2) == 1);
}

TEST_CASE("a store-conditional needs a reservation of its own word") {
  ReservationSet set;
  CHECK_FALSE(set.store_conditional(1, 0x100));
  set.reserve(1, 0x100);
  CHECK_FALSE(set.store_conditional(2, 0x100));
  CHECK_FALSE(set.store_conditional(1, 0x104));  // and any attempt gives the reservation up
  CHECK_FALSE(set.store_conditional(1, 0x100));
  set.reserve(1, 0x100);
  CHECK(set.store_conditional(1, 0x100));
  CHECK_FALSE(set.store_conditional(1, 0x100));
}

TEST_CASE("a hart holds one reservation, the last one") {
  ReservationSet set;
  set.reserve(1, 0x100);
  set.reserve(1, 0x200);
  CHECK_FALSE(set.store_conditional(1, 0x100));
  set.reserve(1, 0x100);
  set.reserve(1, 0x200);
  CHECK(set.store_conditional(1, 0x200));
}

TEST_CASE("the first of two store-conditionals wins") {
  ReservationSet set;
  set.reserve(1, 0x100);
  set.reserve(2, 0x100);
  CHECK(set.store_conditional(2, 0x100));
  CHECK_FALSE(set.store_conditional(1, 0x100));
}

TEST_CASE("a store breaks the reservations it touches and no others") {
  ReservationSet set;
  set.reserve(1, 0x100);
  set.reserve(2, 0x104);
  set.on_store(0x103, 1);
  CHECK_FALSE(set.store_conditional(1, 0x100));
  CHECK(set.store_conditional(2, 0x104));
  set.reserve(1, 0xFFFFFFFC);
  set.on_store(0xFFFFFFE0, 32);  // up to the very end of memory
  CHECK_FALSE(set.store_conditional(1, 0xFFFFFFFC));
}

}  // namespace spica::isa
