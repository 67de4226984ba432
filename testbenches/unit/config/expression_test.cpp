// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/expression.h"

#include <map>
#include <string>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;
using Catch::Contains;

namespace {

bool holds(const std::string& text) {
  static const std::map<std::string, config::Operand> values{
      {"cores", 4.0}, {"design", std::string("tc")}, {"l2.size_bytes", 65536.0}, {"share", 0.25}};
  return config::Expression(text).holds([](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? config::Operand() : found->second;
  });
}

}  // namespace

TEST_CASE("conditions compare, calculate and combine as written") {
  const std::pair<const char*, bool> table[] = {
      {"cores == 4", true},
      {"cores != 4", false},
      {"cores * 2 + 1 >= 9", true},
      {"1 + cores * 2 == 10", false},
      {"(1 + cores) * 2 == 10", true},
      {"cores % 3 == 1 and cores / 8 == 0.5", true},
      {"-cores < -3", true},
      {"10 - 3 - 2 == 5", true},
      {"design == \"tc\"", true},
      {"design == 'virgo'", false},
      {"design == tc", false},  // a name that is not there
      {"design == \"tc\" or unknown == 1", true},
      {"not design == \"tc\"", false},
      {"not not cores == 4", true},
      {"l2.size_bytes == 64 * 1024", true},
      {"l2.size_bytes < cores", false},
      {"unknown == unknown", false},
      {"unknown != 1", false},
      {"unknown < 1", false},
      {"unknown * 2 < 1", false},
      {"cores == \"4\"", true},  // what is a number is one, as labels are
      {"l2.size_bytes == \"64 KiB\"", true},
      {"share > 0.2 and share < .3e0 * 1", false},  // .3e0 is a name, and not there
      {"cores == 4 or 1 / 0 == 1 and cores == 5", true},
      {"1 / 0 == 1", false},
      {"2e3 == 2000", true},
      {"cores = 4", true},
      {"cores=1|2|4 and design = \"tc\"", true},
      {"cores == 1|2", false},
      {"l2.size_bytes >= 64 KiB and l2.size_bytes<65KiB", true},
      {"l2.size_bytes == 0x10000", true},
      {"cores == 5 if design == \"tc\"", false},
      {"cores == 5 if design == \"virgo\" or cores == 3", true},
      {"cores == 4 if cores == 4", true},
  };
  for (const auto& [text, expected] : table) {
    INFO(text);
    CHECK(holds(text) == expected);
  }
}

TEST_CASE("true and false are words of their own, and no other word is a truth value") {
  CHECK(holds("true"));
  CHECK_FALSE(holds("false or not true"));
  CHECK_THROWS_WITH(holds("design"), "condition \"design\": \"tc\" is not a boolean; allowed: true, false");
  CHECK_THROWS_WITH(holds("cores == 4 and 'True'"), Contains("\"True\" is not a boolean"));
}

TEST_CASE("a condition that is none says where it goes wrong") {
  const std::pair<const char*, const char*> table[] = {
      {"", "it ends too early (character 1)"},
      {"cores ==", "it ends too early (character 9)"},
      {"cores >= 1|2", "\"|\" is not expected (character 11)"},
      {"cores == 4 if", "it ends too early (character 14)"},
      {"cores == 4 if cores == 4 if cores == 4", "\"if\" is not expected (character 26)"},
      {"(cores == 4", "a parenthesis is not closed"},
      {"design == \"tc", "a quote is not closed (character 11)"},
      {"system(\"ls\")", "\"(\" is not expected"},
      {"cores == 4 5", "\"5\" is not expected"},
  };
  for (const auto& [text, expected] : table) {
    INFO(text);
    CHECK_THROWS_WITH(config::Expression(text), Contains(expected));
  }
  CHECK_THROWS_WITH(holds("design * 2 == 4"), Contains("\"tc\" is not a number"));
  for (const std::string& deep : {std::string(100'000, '('), std::string(100'000, '-')})
    CHECK_THROWS_WITH(config::Expression(deep), Contains("too many levels"));
  std::string nots;
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  CHECK_THROWS_WITH(config::Expression(nots), Contains("too many levels"));
}

TEST_CASE("a text is a number where all of it is one") {
  CHECK(config::operand_of("64") == config::Operand(64.0));
  CHECK(config::operand_of("64 KiB") == config::Operand(65536.0));
  CHECK(config::operand_of("64x64") == config::Operand(std::string("64x64")));
  CHECK(config::operand_of("nan") == config::Operand(std::string("nan")));
  CHECK(config::operand_of("") == config::Operand(std::string()));
}

TEST_CASE("an expression has a value, of nothing or divided by zero none, and sums over paths are names") {
  const config::Expression share("(sum(stats.*.core_*.stores) + 2) / cores");
  CHECK(share.names() == std::vector<std::string>{"sum(stats.*.core_*.stores)", "cores"});
  const auto value = [&](double cores) {
    return share.value([&](const std::string& name) -> config::Operand {
      if (name == "cores") return cores;
      return name == "sum(stats.*.core_*.stores)" ? config::Operand(10.0) : config::Operand();
    });
  };
  CHECK(value(4) == config::Operand(3.0));
  CHECK(value(0) == config::Operand());
  CHECK(config::Expression("a + 1").value([](const std::string&) { return config::Operand(); }) ==
        config::Operand());
  CHECK_THROWS_WITH(config::Expression("sum(stats.a"), Contains("a parenthesis is not closed"));
}

TEST_CASE("parts of an expression have the text that was written") {
  const config::Expression bound("size >= 16 *tile_m if  set = 'a'|b");
  REQUIRE(bound.root().is("if"));
  const auto& compared = bound.root().inner[0];
  CHECK(compared.text == "size >= 16 *tile_m");
  CHECK(compared.is(">="));
  CHECK(compared.inner[1].text == "16 *tile_m");
  const auto& second = bound.root().inner[1];
  REQUIRE(second.inner.size() == 3);
  CHECK(second.inner[1].text == "'a'");
  CHECK(second.inner[2].text == "b");
  CHECK(bound.value(compared.inner[1], [](const std::string&) { return config::Operand(2.0); }) ==
        config::Operand(32.0));
}
