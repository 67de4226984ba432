// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/cache/data_path.h"

using namespace spica;
using cache::atomic_result;
using cache::Reservations;
using protocol::Atomic;

TEST_CASE("atomic operations compute what the A extension says") {
  const std::uint32_t minus_one = 0xFFFFFFFF;
  CHECK(atomic_result(Atomic::kAdd, minus_one, 2) == 1);
  CHECK(atomic_result(Atomic::kSwap, 1, 2) == 2);
  CHECK(atomic_result(Atomic::kXor, 0b1100, 0b1010) == 0b0110);
  CHECK(atomic_result(Atomic::kOr, 0b1100, 0b1010) == 0b1110);
  CHECK(atomic_result(Atomic::kAnd, 0b1100, 0b1010) == 0b1000);
  CHECK(atomic_result(Atomic::kMin, minus_one, 1) == minus_one);
  CHECK(atomic_result(Atomic::kMax, minus_one, 1) == 1);
  CHECK(atomic_result(Atomic::kMinUnsigned, minus_one, 1) == 1);
  CHECK(atomic_result(Atomic::kMaxUnsigned, minus_one, 1) == minus_one);
}

TEST_CASE(
    "a reservation stands until its word is stored to, its holder reserves again, or it is used") {
  Reservations reservations;
  protocol::Origin a, b;
  a.core = 0;
  a.lanes = 1;
  b.core = 1;
  b.lanes = 1;
  const std::uint64_t first = Reservations::holder(a), second = Reservations::holder(b);
  CHECK(first != second);

  reservations.reserve(first, 0x100);
  CHECK(reservations.claim(first, 0x100));
  CHECK_FALSE(reservations.claim(first, 0x100));

  reservations.reserve(first, 0x100);
  reservations.reserve(second, 0x100);
  reservations.store(0x104, 4);
  reservations.store(0xF0, 16);
  CHECK(reservations.size() == 2);
  reservations.store(0x103, 1);
  CHECK_FALSE(reservations.claim(first, 0x100));
  CHECK_FALSE(reservations.claim(second, 0x100));

  reservations.reserve(first, 0x100);
  reservations.reserve(first, 0x200);
  CHECK_FALSE(reservations.claim(first, 0x100));
  CHECK(reservations.size() == 0);
}
