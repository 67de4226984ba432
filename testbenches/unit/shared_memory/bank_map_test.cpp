// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/bank_map.h"

#include "testbenches/support/catch.h"

using namespace spica::shared_memory;

TEST_CASE("banks are contiguous slices and words interleave inside a line") {
  const SharedMemoryParams params;
  const BankMap map(params);
  const std::uint32_t slice = 64 * 1024 / 4;
  CHECK(map.line_bytes() == 32);
  for (std::uint32_t offset = 0; offset < params.size; offset += 4) {
    REQUIRE(map.bank(offset) == offset / slice);
    REQUIRE(map.word(offset) == offset / 4 % 8);
    REQUIRE(map.line(offset) == offset % slice / 32);
    REQUIRE(map.index(offset) == map.bank(offset) * 8 + map.word(offset));
    REQUIRE(map.bank_of_index(map.index(offset)) == map.bank(offset));
  }
}

TEST_CASE("a span covers exactly the word banks its bytes touch") {
  const BankMap map{SharedMemoryParams{}};
  CHECK(map.span(0, 32) == 0xFF);
  CHECK(map.span(0x4000, 32) == 0xFF00);
  CHECK(map.span(0xC010, 16) == WordBanks{0xF0} << 24);
  CHECK(map.span(4, 1) == 0x2);
  CHECK(map.span(6, 4) == 0x6);
  CHECK(map.word_count(6, 4) == 2);
  CHECK(map.word_count(0, 32) == 8);
  CHECK(map.in_one_line(16, 16));
  CHECK_FALSE(map.in_one_line(20, 16));
  CHECK(map.bank_words(1) == 0xFF00);
}

TEST_CASE("a line of 16 words holds two rows of 32 bytes") {
  SharedMemoryParams params;
  params.size = 128 * 1024;
  params.words = 16;
  const BankMap map(params);
  CHECK(map.line_bytes() == 64);
  CHECK(map.span(0, 32) == 0x00FF);
  CHECK(map.span(32, 32) == 0xFF00);
  CHECK(map.span(0x8000, 32) == WordBanks{0xFF} << 16);
  CHECK(map.span(0x18020, 32) == WordBanks{0xFF} << 56);
}

TEST_CASE("one bank of 64 words uses every bit") {
  SharedMemoryParams params;
  params.banks = 1;
  params.words = 64;
  params.word_bytes = 4;
  const BankMap map(params);
  CHECK(map.bank_words(0) == ~WordBanks{0});
  CHECK(map.span(0, 128) == 0xFFFF'FFFF);
  CHECK(map.span(256, 256) == ~WordBanks{0});
}
