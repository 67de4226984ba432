// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/expression.h"

#include <map>
#include <string>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;
using Catch::Contains;

namespace {

bool holds(const std::string& text) {
  static const std::map<std::string, sweep::Operand> values{
      {"cores", 4.0}, {"design", std::string("tc")}, {"l2.size_bytes", 65536.0}, {"share", 0.25}};
  return sweep::Expression(text).holds([](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? sweep::Operand() : found->second;
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
      {"cores = 4", "\"=\" is not expected (character 7)"},
      {"(cores == 4", "a parenthesis is not closed"},
      {"design == \"tc", "a word without its closing quote (character 11)"},
      {"system(\"ls\")", "\"(\" is not expected"},
      {"cores == 4 5", "\"5\" is not expected"},
  };
  for (const auto& [text, expected] : table) {
    INFO(text);
    CHECK_THROWS_WITH(sweep::Expression(text), Contains(expected));
  }
  CHECK_THROWS_WITH(holds("design * 2 == 4"), Contains("\"tc\" is not a number"));
  for (const std::string& deep : {std::string(100'000, '('), std::string(100'000, '-')})
    CHECK_THROWS_WITH(sweep::Expression(deep), Contains("too many levels"));
  std::string nots;
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  CHECK_THROWS_WITH(sweep::Expression(nots), Contains("too many levels"));
}

TEST_CASE("a text is a number where all of it is one") {
  CHECK(sweep::operand_of("64") == sweep::Operand(64.0));
  CHECK(sweep::operand_of("64 KiB") == sweep::Operand(65536.0));
  CHECK(sweep::operand_of("64x64") == sweep::Operand(std::string("64x64")));
  CHECK(sweep::operand_of("nan") == sweep::Operand(std::string("nan")));
  CHECK(sweep::operand_of("") == sweep::Operand(std::string()));
}

TEST_CASE("an expression has a value, of nothing or divided by zero none, and sums over paths are names") {
  const sweep::Expression share("(sum(stats.*.core_*.stores) + 2) / cores");
  CHECK(share.names() == std::vector<std::string>{"sum(stats.*.core_*.stores)", "cores"});
  const auto value = [&](double cores) {
    return share.value([&](const std::string& name) -> sweep::Operand {
      if (name == "cores") return cores;
      return name == "sum(stats.*.core_*.stores)" ? sweep::Operand(10.0) : sweep::Operand();
    });
  };
  CHECK(value(4) == sweep::Operand(3.0));
  CHECK(value(0) == sweep::Operand());
  CHECK(sweep::Expression("a + 1").value([](const std::string&) { return sweep::Operand(); }) ==
        sweep::Operand());
  CHECK_THROWS_WITH(sweep::Expression("sum(stats.a"), Contains("a parenthesis is not closed"));
}
