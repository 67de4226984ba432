// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/bank_set.h"

#include <random>
#include <set>

#include "models/shared_memory/bank_map.h"
#include "testbenches/support/catch.h"

using namespace spica::shared_memory;

namespace {

using Set = BankSet<4>;
constexpr unsigned kBits = 256;

Set of(const std::set<unsigned>& numbers) {
  Set result;
  for (const unsigned number : numbers) result |= Set{1} << number;
  return result;
}

std::set<unsigned> random_numbers(std::mt19937& random) {
  std::set<unsigned> numbers;
  for (auto i = random() % 40; i-- > 0;) numbers.insert(static_cast<unsigned>(random() % kBits));
  return numbers;
}

}  // namespace

TEST_CASE("a set of more than 64 word banks has the operators of a machine word") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::set<unsigned> a = random_numbers(random), b = random_numbers(random);
    const unsigned places = static_cast<unsigned>(random() % kBits);
    std::set<unsigned> both, either = a, without, moved;
    for (const unsigned one : a) {
      if (b.count(one) != 0) both.insert(one);
      else without.insert(one);
      if (one + places < kBits) moved.insert(one + places);
    }
    either.insert(b.begin(), b.end());
    REQUIRE((of(a) & of(b)) == of(both));
    REQUIRE((of(a) | of(b)) == of(either));
    REQUIRE((of(a) & ~of(b)) == of(without));
    REQUIRE((of(a) << places) == of(moved));
    REQUIRE((of(a) == 0) == a.empty());
    REQUIRE((of(a) != of(b)) == (a != b));
    REQUIRE(bank_count(of(a)) == a.size());
    if (!a.empty()) REQUIRE(lowest_bank(of(a)) == *a.begin());
  }
}

TEST_CASE("64 banks of 32 words are 2,048 word banks") {
  SharedMemoryParams params;
  params.banks = 64;
  params.words = 32;
  const BasicBankMap<BankSet<32>> map(params);
  const std::uint32_t slice = 64 * 1024 / 64;
  CHECK(map.bank(63 * slice) == 63);
  CHECK(map.index(63 * slice + 31 * 4) == 2047);
  CHECK(lowest_bank(map.bank_words(63)) == 63 * 32);
  CHECK(bank_count(map.bank_words(63)) == 32);
  CHECK(map.span(slice + 4, 8) == (BankSet<32>{3} << 33));
  CHECK(kMostWordBanks<BankSet<32>> == 2048);
  CHECK(kMostWordBanks<WordBanks> == 64);
}
