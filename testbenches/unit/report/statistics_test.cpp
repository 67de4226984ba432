// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/statistics.h"
#include "platform/base/json/parse.h"
#include "platform/observe/report/kinds.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "testbenches/support/catch.h"
using namespace spica;
using namespace spica::report;

namespace {

struct TreeFixture {
  base::StatGroup core, cache;
  base::Counter& issued = core.counter("issued", base::Unit::kInstructions, "warp instructions");
  base::CycleAccount& slot = core.account("slot", "what the slot did", {"idle", "busy"});
  base::Counter& misses = cache.counter("misses", base::Unit::kCount, "lines not there");
  std::vector<NamedStats> groups{{"cluster_0.core_1", &core}, {"cluster_0.core_1.l1", &cache}};

  TreeFixture() {
    issued += 12;
    misses += 3;
    slot.charge(1, 4);
    slot.settle(10);
  }
};

}  // namespace

TEST_CASE_METHOD(TreeFixture, "statistics form a tree by name, each with unit and description") {
  const auto tree = statistics_json(groups);
  const auto& node = tree["cluster_0"]["core_1"];
  CHECK(node["issued"].dump() == "{\"value\":12,\"unit\":\"" +
                                     std::string(base::unit_name(base::Unit::kInstructions)) +
                                     "\",\"description\":\"warp instructions\"}");
  CHECK(node["l1"]["misses"]["value"] == 3);
}

TEST_CASE_METHOD(TreeFixture, "a cycle account lists its reasons and their sum") {
  const auto account = statistics_json(groups)["cluster_0"]["core_1"]["slot"];
  CHECK(account["reasons"].dump() == "{\"idle\":4,\"busy\":6}");
  CHECK(account["total"] == 10);
}

TEST_CASE_METHOD(TreeFixture, "two things of one name are an error of the model") {
  groups.push_back({"cluster_0.core_1", &core});
  CHECK_THROWS_AS(statistics_json(groups), std::logic_error);
  groups.back() = {"cluster_0.core_1.issued", &cache};
  CHECK_THROWS_AS(statistics_json(groups), std::logic_error);
  groups = {{"cluster_0.core_1.issued", &cache}, {"cluster_0.core_1", &core}};
  CHECK_THROWS_AS(statistics_json(groups), std::logic_error);
}

TEST_CASE("a block without statistics is an empty object") {
  const base::StatGroup empty;
  CHECK(statistics_json({NamedStats{"barrier", &empty}}).dump() == "{\"barrier\":{}}");
}

TEST_CASE("JSON text keeps small objects on one line and reads back the same") {
  const json::Value value = {{"a", {{"v", 1}, {"u", "x \"y\""}}},
                             {"b", {{"c", {{"d", {1, 2}}}}, {"e", nullptr}}}};
  CHECK(json_text(value) ==
        "{\n"
        "  \"a\": {\"v\": 1, \"u\": \"x \\\"y\\\"\"},\n"
        "  \"b\": {\n"
        "    \"c\": {\n"
        "      \"d\": [1, 2]\n"
        "    },\n"
        "    \"e\": null\n"
        "  }\n"
        "}\n");
  CHECK(json::parse(json_text(value)).value() == value);
  CHECK(json_text(json::Value::object()) == "{}\n");
}

TEST_CASE("JSON text has the numbers of the library, and only printable names") {
  const json::Value numbers = {-7, 0, 18446744073709551615u, 0.1, 1e300, true, std::nan("")};
  std::string spaced = numbers.dump();
  for (std::size_t i = 0; (i = spaced.find(',', i)) != std::string::npos; i += 2) spaced.replace(i, 1, ", ");
  CHECK(json_text(numbers) == spaced + "\n");
  CHECK(json_text("a\x01\n\xff") == "\"a\\\\x01\\n\\\\xff\"\n");
  CHECK(json_text({{"a", {1}}, {"\xff", 2}, {"\\xff", 3}}) == "{\n  \"a\": [1],\n  \"\\\\xff\": 3\n}\n");
}

TEST_CASE("statistics of a timed region stand beside those of the run") {
  spica::base::StatGroup group;
  spica::base::Counter& events = group.counter("events", spica::base::Unit::kCount, "events");
  spica::base::CycleAccount& slot = group.account("slot", "what it did", {"idle", "busy"});
  spica::base::StatLayout layout;
  layout.add(group);
  events += 3;
  slot.charge(1, 10);
  slot.settle(12);
  const auto begin = layout.values();
  events += 4;
  slot.settle(20);
  const auto end = layout.values();
  events += 5;
  slot.charge(0, 30);
  slot.settle(32);

  const spica::base::StatWindow window(layout, begin, end);
  CHECK(window.value(events) == 4);
  CHECK(window.cycles(slot) == std::vector<std::uint64_t>{0, 8});
  const auto tree = statistics_json({NamedStats{"block", &group}}, &window)["block"];
  CHECK(tree["events"]["value"] == 12);
  CHECK(tree["events"]["in_region"] == 4);
  CHECK(tree["slot"]["reasons"]["busy"] == 20);
  CHECK(tree["slot"]["in_region"]["busy"] == 8);
  CHECK(tree["slot"]["in_region"]["idle"] == 0);
}

namespace {

/// A cache and its owner's number.
struct Member {
  Member(unsigned hit_count, base::Cycle busy) : hit_cycles(busy) {
    hits += hit_count;
    slot.charge(1, 0);
    slot.charge(0, hit_cycles);
    slot.settle(10);
  }
  base::Cycle hit_cycles;
  base::StatGroup group;
  base::Counter& hits = group.counter("hits", base::Unit::kCount, "hits");
  base::CycleAccount& slot = group.account("slot", "what it did", {"idle", "busy"});
};

}  // namespace

TEST_CASE("blocks of one kind have their sum, mean and spread") {
  Member first(3, 1), second(8, 4), third(4, 4);
  const std::vector<NamedStats> groups{{"cluster_0.l1_0", &first.group},
                                       {"memory", &first.group},
                                       {"cluster_0.l1_1", &second.group},
                                       {"cluster_12.l1_0", &third.group}};
  const auto kinds = kinds_json(groups);
  REQUIRE(kinds.size() == 1);  // there is one memory
  const auto& caches = kinds["cluster.l1"];
  CHECK(caches["blocks"] == 3);
  CHECK(caches["spread"]["hits"].dump() ==
        R"({"sum":15,"mean":5.0,"min":3,"max":8,"largest":"cluster_0.l1_1"})");
  CHECK(caches["spread"]["slot"]["busy"].dump() ==
        R"({"sum":9,"mean":3.0,"min":1,"max":4,"largest":"cluster_0.l1_1"})");
  CHECK(caches["spread"]["slot"]["idle"]["sum"] == 21);
}

TEST_CASE("a statistic that not all blocks of a kind have has no spread") {
  Member first(3, 1), second(8, 4);
  second.group.counter("more", base::Unit::kCount, "of one only");
  const auto kinds = kinds_json({{"l1_0", &first.group}, {"l1_1", &second.group}});
  CHECK(kinds["l1"]["spread"].contains("hits"));
  CHECK_FALSE(kinds["l1"]["spread"].contains("more"));
}
