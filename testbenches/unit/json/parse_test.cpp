// SPDX-License-Identifier: Apache-2.0
#include "platform/base/json/parse.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using json::Value;

TEST_CASE("a document is read with its keys in order and written the same") {
  const std::string text = R"({"b":1,"a":[1.5,null,true],"text":"a \"b\"\n","c":{"inner":-3},"empty":{}})";
  CHECK(json::parse(text).value().dump() == text);
}

TEST_CASE("reals are written so that they are read back the same") {
  for (const double value : {0.1, 1e-7, 1.0, 1e300, 5e-324, -0.0})
    CHECK(json::parse(Value(value).dump()).value().get<double>() == value);
  CHECK(Value(1.0).dump() == "1.0");
}

TEST_CASE("all integers of 64 bits are kept") {
  const Value read = json::parse("[18446744073709551615,-9223372036854775808]").value();
  CHECK(read[0].get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(read[1].get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(read.dump() == "[18446744073709551615,-9223372036854775808]");
}

TEST_CASE("text that is no document is nothing") {
  for (const char* bad : {"", "{", "[1,]", "{\"a\":1} 2", "\"\xFF\"", "nul"}) CHECK_FALSE(json::parse(bad));
}

TEST_CASE("of members with the same key the last one counts, at the place of the first") {
  CHECK(json::parse(R"({"a":1,"b":2,"a":3})").value().dump() == R"({"a":3,"b":2})");
}

TEST_CASE("a document has at most so many levels as its reader allows") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + "1" + std::string(levels, ']');
  };
  bool too_deep = false;
  CHECK(json::parse(nested(64), 64, &too_deep));
  CHECK_FALSE(json::parse("[[", 1, &too_deep));
  CHECK_FALSE(too_deep);
  CHECK_FALSE(json::parse(nested(65), 64, &too_deep));
  CHECK(too_deep);
  CHECK_FALSE(json::parse(nested(1'000'000)));
}

TEST_CASE("a file is read whole; one that is not there is nothing") {
  const testbench::TemporaryFolder folder;
  const std::string path = (folder.root() / "a.json").string();
  CHECK_FALSE(json::read_file(path));
  std::ofstream(path) << "{\"a\": [1]}\n";
  CHECK(json::read_file(path).value() == Value{{"a", Value::array({1})}});
}
