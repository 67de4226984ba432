// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/shadow.h"

#include "testbenches/support/catch.h"

using namespace spica::check;

TEST_CASE("words are divided into bytes and joined again") {
  Shadow shadow(16);
  Cell& word = shadow.word(3);
  word.write = {5, 0x100, 2, 1, Mark::kInitialised};
  word.read = {4, 0x104, 3, 0, 0};
  Shadow::Bytes& bytes = shadow.divide(word);
  CHECK(word.write.has(Mark::kSplit));
  for (const Cell& byte : bytes) {
    CHECK(byte.write.epoch == 5);
    CHECK(byte.write.has(Mark::kInitialised));
    CHECK(byte.read.agent == 3);
  }
  CHECK(&shadow.divide(word) == &bytes);
  for (Cell& byte : bytes) byte.write = {9, 0x200, 7, 0, 0};
  shadow.unite(word);
  CHECK_FALSE(word.write.has(Mark::kSplit));
  CHECK(word.write.agent == 7);
}

TEST_CASE("a word remembers several reads, also when it is divided") {
  Shadow shadow(4);
  Cell& word = shadow.word(0);
  word.read = {1, 0x10, 1, 0, 0};
  shadow.share(word).push_back({2, 0x20, 2, 0, 0});
  CHECK(shadow.reads(word).size() == 2);
  Shadow::Bytes& bytes = shadow.divide(word);
  shadow.reads(bytes[1]).clear();
  CHECK(shadow.reads(bytes[0]).size() == 2);  // each byte has its own
  CHECK(shadow.reads(bytes[3])[1].agent == 2);
  shadow.forget_reads(bytes[0]);
  CHECK(bytes[0].read.agent == Agents::kNone);
}

TEST_CASE("pages of global memory appear when they are touched") {
  Shadow shadow;
  shadow.word(0xFFFF'FFFFu / 4).write.epoch = 8;
  shadow.word(0x8000'0000u / 4).write.epoch = 9;
  CHECK(shadow.word(0xFFFF'FFFFu / 4).write.epoch == 8);
  CHECK(shadow.word(0x8000'0000u / 4).write.epoch == 9);
  CHECK(shadow.word(0x8000'1000u / 4).write.agent == Agents::kNone);
  CHECK(shadow.holds(0x3FFF'FFFFu));
  CHECK_FALSE(Shadow(4).holds(4));
}
