// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/json/value.h"

using namespace spica;
using json::Value;

TEST_CASE("a document is written with its keys in order and as few characters as possible") {
  Value document{{"b", 1}, {"a", {1.5, nullptr, true}}, {"text", "a \"b\"\n"}};
  document["c"]["inner"] = -3;
  document["empty"] = Value::object();
  CHECK(document.dump() == R"({"b":1,"a":[1.5,null,true],"text":"a \"b\"\n","c":{"inner":-3},"empty":{}})");
  CHECK(Value{{"a", {1, {{"b", Value::array()}}}}}.dump(2) ==
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ]\n}");
}

TEST_CASE("reals are written so that they are read back the same") {
  for (const double value : {0.1, 1e-7, 1.0, 1e300, 5e-324, -0.0})
    CHECK(json::parse(Value(value).dump()).value().get<double>() == value);
  CHECK(Value(1.0).dump() == "1.0");
  CHECK(Value(std::numeric_limits<double>::infinity()).dump() == "null");
}

TEST_CASE("a list of pairs with text first is an object, any other list an array") {
  CHECK(Value{{"a", 1}, {"b", 2}}.is_object());
  CHECK(Value{{"a", 1}, {"b", 2, 3}}.is_array());
  CHECK(Value{{1, "a"}}.is_array());
  CHECK(Value::array({{"a", 1}}).dump() == R"([["a",1]])");
  CHECK(Value(std::vector<std::string>{"x", "y"}).dump() == R"(["x","y"])");
}

TEST_CASE("numbers are equal by value, whatever type they have") {
  CHECK(Value(5) == Value(5u));
  CHECK(Value(5) == Value(5.0));
  CHECK(Value(-1) != Value(~std::uint64_t{0}));
  CHECK(Value(1) != Value(true));
}

TEST_CASE("all integers of 64 bits are kept") {
  const Value read = json::parse("[18446744073709551615,-9223372036854775808]").value();
  CHECK(read[0].get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(read[1].get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(read.dump() == "[18446744073709551615,-9223372036854775808]");
}

TEST_CASE("what a value is not is an error, a missing member has a default") {
  const Value document{{"a", 1}};
  CHECK_THROWS_AS(document.at("b"), std::runtime_error);
  CHECK_THROWS_AS(document["a"].text(), std::runtime_error);
  CHECK_THROWS_AS(document[0], std::runtime_error);
  CHECK(document.value("b", 7) == 7);
  CHECK(document.find("b") == nullptr);
  CHECK(Value("text").find("b") == nullptr);
}

TEST_CASE("members are replaced, merged and removed") {
  Value document{{"a", 1}, {"b", 2}};
  document.update({{"b", 3}, {"c", 4}});
  document.erase("a");
  CHECK(document.dump() == R"({"b":3,"c":4})");
  CHECK(document.size() == 2);
}

TEST_CASE("a copy is a document of its own") {
  Value first{{"a", {1}}};
  Value second = first;
  second["a"].push_back(2);
  CHECK(first["a"].size() == 1);
  first = std::move(second);
  CHECK(first["a"].size() == 2);
  first = first["a"];  // a part of itself
  CHECK(first.dump() == "[1,2]");
}

TEST_CASE("text that is no document is nothing") {
  for (const char* bad : {"", "{", "[1,]", "{\"a\":1} 2", "\"\xFF\"", "nul"}) CHECK_FALSE(json::parse(bad));
  CHECK(json::parse("{\"a\":1,\"a\":2}").value()["a"] == 2);
}

TEST_CASE("a document has at most so many levels as its reader allows") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + "1" + std::string(levels, ']');
  };
  bool too_deep = false;
  CHECK(json::parse(nested(64), 64, &too_deep));
  CHECK_FALSE(too_deep);
  CHECK_FALSE(json::parse(nested(65), 64, &too_deep));
  CHECK(too_deep);
  CHECK_FALSE(json::parse(nested(1'000'000)));
}
