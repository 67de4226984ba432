// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/blocks.h"

#include <sstream>

#include "testbenches/support/catch.h"

using namespace spica;

namespace {

/// Of operators whose keys are words.
network::Blocks blocks(const std::string& words) {
  std::istringstream text(words);
  std::vector<std::string> keys;
  for (std::string word; text >> word;) keys.push_back(word);
  return network::find_blocks(keys);
}

}  // namespace

TEST_CASE("equal sections of operators, one behind the other, are blocks from the third on") {
  CHECK(blocks("").count == 0);
  CHECK(blocks("x a b c a b c y").count == 0);  // two of them
  CHECK(blocks("a a a a a a a a").count == 0);  // a block has three operators
  CHECK(blocks("a a a a a a a a a").length == 3);
  const network::Blocks found = blocks("x a b c a b c a b c a b c y");
  CHECK(found.first == 1);
  CHECK(found.length == 3);
  CHECK(found.count == 4);
}

TEST_CASE("of several series of blocks that is taken which saves the most operators") {
  const network::Blocks found = blocks("a b c a b c a b c a b c  x  d e f g d e f g d e f g d e f g");
  CHECK(found.first == 13);
  CHECK(found.length == 4);
}

TEST_CASE("later blocks are equal to the second; sections are what is in front, and each block") {
  const network::Blocks found = blocks("x a b c a b c a b c a b c y");
  CHECK(found.equal_to(0) == network::kNone);
  CHECK(found.equal_to(4) == network::kNone);  // of the second block
  CHECK(found.equal_to(7) == 4);
  CHECK(found.equal_to(12) == 6);
  CHECK(found.equal_to(13) == network::kNone);
  const auto sections = found.sections();
  REQUIRE(sections.size() == 5);
  CHECK(sections[0].end == 1);
  CHECK(sections[4].begin == 10);
  CHECK(sections[4].end == 13);
}
