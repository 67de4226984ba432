// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_sums.h"

#include <nlohmann/json.hpp>

#include "testbenches/support/catch.h"

using namespace spica;

namespace {

json::Value record(const char* name, const char* type, unsigned cycles) {
  return {{"name", name}, {"type", type}, {"cycles", cycles}, {"multiply_adds", 10 * cycles}};
}

}  // namespace

TEST_CASE("sums by type have all operators of a type, their share, and bytes and energy where they are") {
  json::Value records{record("a", "add", 10), record("b", "product", 60), record("c", "add", 30)};
  records[0]["bytes"] = {{"dram", 64}};
  records[2]["bytes"] = {{"dram", 36}};
  records[2]["energy_uj"] = {{"total", 1.5}};
  const json::Value sums = network::sums_by_type(records, 200);
  REQUIRE(sums.size() == 2);
  CHECK(sums["add"] == json::Value{{"operators", 2},
                                   {"cycles", 40},
                                   {"share", 0.2},
                                   {"multiply_adds", 400},
                                   {"dram_bytes", 100},
                                   {"energy_uj", 1.5}});
  CHECK_FALSE(sums["product"].contains("dram_bytes"));
  const std::string table = network::type_table(sums);
  CHECK(table.find("product") < table.find("add"));  // the largest share first
}

TEST_CASE("no share is of nothing") {
  CHECK(network::sums_by_type(json::Value::array({record("a", "add", 0)}), 0)["add"]["share"] == 0.0);
}

TEST_CASE("a layer is in front of its parts, in the order of the network, and has what they have") {
  const json::Value records{record("/b/attn/MatMul", "product", 5), record("/b/mlp/MatMul", "product", 7),
                            record("/a/Add", "add", 3), record("/b/attn/Softmax", "softmax", 1),
                            record("logits", "product", 9)};
  const json::Value sums = network::sums_by_layer(records, 25);
  std::vector<std::string> names;
  std::vector<unsigned> depths, cycles;
  for (const json::Value& sum : sums) {
    names.push_back(sum["name"]);
    depths.push_back(sum["depth"]);
    cycles.push_back(sum["cycles"]);
  }
  CHECK(names == std::vector<std::string>{"/b", "/b/attn", "/b/mlp", "/a"});
  CHECK(depths == std::vector<unsigned>{0, 1, 1, 0});
  CHECK(cycles == std::vector<unsigned>{13, 6, 7, 3});
  CHECK(sums[0]["share"] == 13.0 / 25);
  CHECK(network::sums_by_layer(json::Value::array({record("logits", "product", 9)}), 9).empty());
}

TEST_CASE("a table of layers ends at the first level with numbers") {
  const json::Value records{record("/net/layer.0/attn/MatMul", "product", 5),
                            record("/net/layer.1/attn/MatMul", "product", 7)};
  const std::string table = network::layer_table(network::sums_by_layer(records, 12));
  CHECK(table.find("/net/layer.1") != std::string::npos);
  CHECK(table.find("attn") == std::string::npos);
}
