// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text/pattern.h"

#include <stdexcept>

#include "testbenches/support/catch.h"

using spica::text::Pattern;
using Groups = Pattern::Groups;

TEST_CASE("a pattern matches all of a text, its first place, or each") {
  const Pattern pair(R"(([a-z]+)=(\d+)?)");
  CHECK(pair.match("rows=12") == Groups{"rows=12", "rows", "12"});
  CHECK(pair.match("rows=") == Groups{"rows=", "rows", ""});
  CHECK_FALSE(pair.match("rows=12 "));
  CHECK(pair.search("of rows=12, k=3") == Groups{"rows=12", "rows", "12"});
  CHECK_FALSE(pair.search("of rows: 12"));
  CHECK(pair.search_all("a=1\nb=2") == std::vector<Groups>{{"a=1", "a", "1"}, {"b=2", "b", "2"}});
  CHECK(pair.search_all("").empty());
  CHECK(pair.replace("a=1, b=2", "$2 for $1") == "1 for a, 2 for b");
}

TEST_CASE("a pattern takes a text as a whole, and its dot stays within a line") {
  CHECK_FALSE(Pattern("^b").search("a\nb"));
  CHECK_FALSE(Pattern("a$").search("a\nb"));
  CHECK(Pattern("a.*").search("ab\nc") == Groups{"ab"});
  CHECK(Pattern(R"(\.\d+(?=\.|$))").replace("core.0.bank.12", "") == "core.bank");
}

TEST_CASE("a pattern that is none is refused, and so is a text that no bounded stack can match") {
  CHECK_THROWS_AS(Pattern("(a"), std::runtime_error);
  const Pattern nested("(?:a|b)*");
  const std::string some(10'000, 'a');
  CHECK(nested.match(some) == Groups{some});
  CHECK_THROWS_AS(nested.match(std::string(5'000'000, 'a')), std::runtime_error);
  const std::string many(5'000'000, 'a');
  CHECK(Pattern("a*").match(many) == Groups{many});
}
