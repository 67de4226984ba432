// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "models/base/block_type.h"
#include "testbenches/support/catch.h"

using namespace spica;
using base::BlockType;

namespace {

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const BlockType* type : base::block_types()) names.push_back(type->name);
  return names;
}

}  // namespace

TEST_CASE("types of block are listed by their place, those at the same one by name, whenever they came") {
  static const BlockType last{"zebra"}, first{"owl", 20}, second{"ant"}, same{"bat", 20};
  const auto before = known_names();
  for (const BlockType* type : {&last, &first, &second, &same}) base::register_block_type(*type);
  REQUIRE(before.empty());
  CHECK(known_names() == std::vector<std::string_view>{"bat", "owl", "ant", "zebra"});
}

TEST_CASE("a type of block is known once, and two of one name are an error") {
  static const BlockType one{"one"}, other{"one"};
  base::register_block_type(one);
  base::register_block_type(one);
  CHECK(known_names() == std::vector<std::string_view>{"one"});
  CHECK_THROWS_WITH(base::register_block_type(other), Catch::Contains("'one'"));
}

TEST_CASE("a star in the name of a counter stands for any text, and for no counter at all") {
  CHECK(base::matches("dma*_words_read", "dma_words_read"));
  CHECK(base::matches("dma*_words_read", "dma_1_words_read"));
  CHECK_FALSE(base::matches("dma*_words_read", "dma_words_written"));
  CHECK_FALSE(base::matches("dma*_words_read", "dma_read"));
  CHECK_FALSE(base::matches("reads", "reads_"));
  CHECK(base::matches(base::CounterNames{"macs", "bytes_*"}, "bytes_a"));
  CHECK_FALSE(base::matches(base::CounterNames{}, "macs"));
}
