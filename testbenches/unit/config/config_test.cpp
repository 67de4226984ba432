// SPDX-License-Identifier: Apache-2.0
// What a correct configuration means, and that it can be written out and read again.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "platform/base/json/parse.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/config/machine_params.h"

using namespace spica;
using namespace config_test;

namespace {

std::string dump(const MachineParams& params, const config::Source& source) {
  std::ostringstream os;
  config::dump(os, params, source);
  return os.str();
}

TEST_CASE("a file anywhere extends a shipped one by its name, and one beside it first") {
  ConfigFolder folder;
  folder.write("blocks/core.yaml", "lanes: 4\n");
  folder.write("big.yaml", "cores: 7\ncore: {extends: blocks/core.yaml}\n");
  const std::filesystem::path mine = folder.write("../mine/big.yaml", "extends: big\n");
  MachineParams params;
  config::apply(config::load(mine.string(), {}, folder.configs()), params);
  CHECK(params.cores == 7);
  CHECK(params.core.lanes == 4);

  folder.write("../mine/beside", "cores: 3\n");
  folder.write("beside.yaml", "cores: 5\n");
  const std::filesystem::path other = folder.write("../mine/other.yaml", "extends: beside\n");
  config::apply(config::load(other.string(), {}, folder.configs()), params);
  CHECK(params.cores == 3);
}

}  // namespace

TEST_CASE("values of every kind are read") {
  ConfigFolder folder;
  const MachineParams p = folder.read(
      "cores: 0x10\nmemory: 128 KiB\nbase: 0x1000\nclock: 1.5e2\ntitle: \"x: y\"\n"
      "core: {warps: 4, policy: round_robin, merge: true}\nunits: [{dim: 16}, {}]\n");
  CHECK(p.cores == 16);
  CHECK(p.memory == 128 * 1024);
  CHECK(p.base == 0x1000);
  CHECK(p.clock == 150.0);
  CHECK(p.title == "x: y");
  CHECK(p.core.warps == 4);
  CHECK(p.core.lanes == 8);
  CHECK(p.core.policy == Policy::kRoundRobin);
  CHECK(p.core.merge);
  REQUIRE(p.units.size() == 2);
  CHECK(p.units[0].dim == 16);
  CHECK(p.units[1].dim == 8);
}

TEST_CASE("sizes take the binary suffixes") {
  ConfigFolder folder;
  CHECK(folder.read("memory: 2048 B\n").memory == 2048);
  CHECK(folder.read("memory: 2KiB\n").memory == 2048);
  CHECK(folder.read("memory: 4 MiB\n").memory == 4u << 20);
  CHECK(folder.read("memory: 1 GiB\n").memory == 1u << 30);
  CHECK(folder.read("memory: 0x800B\n", {"memory=0x8000"}).memory == 0x8000);
}

TEST_CASE("an empty file and an empty group mean the defaults") {
  ConfigFolder folder;
  CHECK(folder.read("").cores == 2);
  CHECK(folder.read("core:\n").core.warps == 8);
  CHECK(folder.read("units: []\n").units.empty());
}

TEST_CASE("later files win over earlier ones, the file itself over all") {
  ConfigFolder folder;
  folder.write("one.yaml", "cores: 3\nclock: 10\ncore: {warps: 1, lanes: 5}\n");
  folder.write("two.yaml", "cores: 4\ncore: {lanes: 6}\n");
  const MachineParams p = folder.read("core: {merge: true}\nclock: 20\nextends: [one.yaml, two.yaml]\n");
  CHECK(p.cores == 4);
  CHECK(p.clock == 20);
  CHECK(p.core.warps == 1);
  CHECK(p.core.lanes == 6);
  CHECK(p.core.merge);
}

TEST_CASE("block files are composed at any level, relative to the file that names them") {
  ConfigFolder folder;
  folder.write("blocks/core.yaml", "extends: parts/narrow.yaml\nwarps: 6\n");
  folder.write("blocks/parts/narrow.yaml", "lanes: 4\nwarps: 5\n");
  folder.write("blocks/unit.yaml", "dim: 4\ntile: 8\n");
  const MachineParams p = folder.read(
      "core: {extends: blocks/core.yaml, merge: true}\n"
      "units:\n- {extends: blocks/unit.yaml, tile: 16}\n- extends: blocks/unit.yaml\n");
  CHECK(p.core.warps == 6);
  CHECK(p.core.lanes == 4);
  CHECK(p.core.merge);
  CHECK(p.units[0].dim == 4);
  CHECK(p.units[0].tile == 16);
  CHECK(p.units[1].tile == 8);
}

TEST_CASE("a list replaces a list, entry numbers change single entries") {
  ConfigFolder folder;
  folder.write("two.yaml", "units: [{dim: 4}, {dim: 2}]\n");
  CHECK(folder.read("extends: two.yaml\nunits: [{tile: 8}]\n").units.size() == 1);
  const MachineParams p = folder.read("extends: two.yaml\nunits: {1: {tile: 10}}\n", {"units.0.dim=1"});
  REQUIRE(p.units.size() == 2);
  CHECK(p.units[0].dim == 1);
  CHECK(p.units[1].dim == 2);
  CHECK(p.units[1].tile == 10);
  CHECK(folder.read("", {"units.0.dim=2"}).units[0].dim == 2);
  CHECK(folder.read("", {"units[0].dim=2"}).units[0].dim == 2);
  CHECK(folder.read("extends: two.yaml\n", {"units[1].dim=16", "units[1].tile=32"}).units[1].dim == 16);
}

TEST_CASE("the last override wins, and may hold a whole group") {
  ConfigFolder folder;
  const MachineParams p =
      folder.read("cores: 3\n", {"cores=4", "core={warps: 2, lanes: 4}", "cores=5", "title=a=b"});
  CHECK(p.cores == 5);
  CHECK(p.core.warps == 2);
  CHECK(p.core.lanes == 4);
  CHECK(p.title == "a=b");
}

TEST_CASE("a configuration is found by path and by name") {
  ConfigFolder folder;
  const auto path = folder.write("isolate/core.yaml", "cores: 7\n");
  for (const std::string& name :
       {std::string("isolate/core"), std::string("isolate/core.yaml"), path.string()}) {
    const config::Source source = config::load(name, {}, folder.configs());
    CHECK(source.name == "configs/isolate/core.yaml");
    MachineParams params;
    config::apply(source, params);
    CHECK(params.cores == 7);
  }
}

TEST_CASE("the effective configuration shows every value and where it comes from") {
  ConfigFolder folder;
  folder.write("blocks/core.yaml", "lanes: 4\nwarps: 5\n");
  folder.write("m.yaml", "core:\n  extends: blocks/core.yaml\n  warps: 6\nunits:\n  - dim: 4\n");
  const config::Source source = config::load("m", {"clock=1000.5"}, folder.configs());
  MachineParams params;
  config::apply(source, params);
  CHECK(dump(params, source) ==
        "cores: 2            # default\n"
        "memory: 65536       # default\n"
        "base: 0x80000000    # default\n"
        "clock: 1000.5       # --set #1\n"
        "title: \"a machine\"  # default\n"
        "core:\n"
        "  warps: 6          # configs/m.yaml:3\n"
        "  lanes: 4          # configs/blocks/core.yaml:1\n"
        "  policy: oldest    # default\n"
        "  merge: false      # default\n"
        "units:\n"
        "  - dim: 4          # configs/m.yaml:5\n"
        "    tile: 64        # default\n");
  CHECK(source.files == std::vector<std::string>{"configs/m.yaml", "configs/blocks/core.yaml"});
  const auto values = config::effective(params, source);
  REQUIRE(values.size() == 11);
  CHECK(values[9].key == "units.0.dim");
  CHECK(values[9].text == "4");
  CHECK(values[9].unit == "elements");
  CHECK(values[9].place == "configs/m.yaml:5");
}

TEST_CASE("random configurations survive being written and read") {
  ConfigFolder folder;
  std::mt19937_64 random(7);
  const auto pick = [&](std::uint64_t low, std::uint64_t high) { return low + random() % (high - low + 1); };
  for (int round = 0; round < 200; ++round) {
    MachineParams p;
    p.core.warps = static_cast<unsigned>(pick(1, 32));
    p.cores = pick(1, 64 / std::max(2u, p.core.warps));
    p.memory = std::uint64_t{1} << pick(10, 30);
    p.base = pick(0, 0xffff'ffff);
    p.clock = 0.5 + static_cast<double>(pick(0, 1u << 30)) / 300000.0;
    p.title.clear();
    for (auto n = pick(0, 12); n > 0; --n) p.title += static_cast<char>(pick(1, 126));
    p.core.lanes = 32;
    p.core.policy = pick(0, 1) != 0 ? Policy::kOldest : Policy::kRoundRobin;
    p.core.merge = pick(0, 1) != 0;
    p.units.resize(pick(0, 3));
    for (UnitParams& unit : p.units) {
      unit.dim = 1u << pick(0, 6);
      unit.tile = unit.dim * pick(1, 1024 / unit.dim);
    }
    const std::string first = dump(p, config::Source{});
    CAPTURE(first);
    folder.write("m.yaml", first);
    MachineParams again;
    const config::Source source = config::load("m", {}, folder.configs());
    config::apply(source, again);
    CHECK(dump(again, config::Source{}) == first);
    CHECK(again.title == p.title);
    CHECK(again.clock == p.clock);
    CHECK(dump(again, source) == dump(again, source));
  }
}

TEST_CASE("all parameters are listed and can be searched") {
  const auto all = config::list<MachineParams>();
  REQUIRE(all.size() == 12);
  CHECK(all[5].key == "units");
  CHECK(all[5].default_value == "1 entries");
  CHECK(all[6].key == "core.warps");
  CHECK(all[10].key == "units[N].dim");
  CHECK(all[10].allowed == "1..64 elements, powers of two");
  CHECK(all[10].source == "table 1");

  CHECK(config::find(all, "TABLE").size() == 2);
  CHECK(config::find(all, "round_robin").size() == 1);
  CHECK(config::find(all, "core lanes").size() == 1);
  CHECK(config::find(all, "nothing like this").empty());
  // An entry of a list by any of its names.
  for (const char* name : {"units[N].dim", "units[0].dim", "units.0.dim", "Units[3].d"})
    CHECK(config::find(all, name).size() == 1);

  std::ostringstream text;
  config::write_text(text, config::find(all, "core.l"));
  CHECK(text.str() ==
        "KEY         DEFAULT  ALLOWED      INFLUENCES  MEANING [SOURCE]\n"
        "core.lanes  8        1..32 lanes  programs    lanes of a warp\n");
  text.str({});
  config::write_text(text, all);
  CHECK_THAT(text.str(), Catch::Contains("\n\ncore: one core | or more\n"));
  std::ostringstream markdown;
  config::write_markdown(markdown, config::find(all, "policy"));
  CHECK(markdown.str() ==
        "## `core`\n\none core \\| or more\n\n"
        "| key | unit | default | allowed | meaning | source |\n|---|---|---|---|---|---|\n"
        "| `core.policy` |  | `oldest` | oldest, round_robin | who issues | section 2 |\n");
  std::ostringstream listing;
  config::write_json(listing, all);
  const auto parsed = json::parse(listing.str()).value();
  REQUIRE(parsed.size() == all.size());
  CHECK(parsed[1]["key"] == "memory");
  CHECK(parsed[1]["allowed"] == "1 KiB..1 GiB, powers of two");
  CHECK(parsed[1]["default"] == "65536");
}

TEST_CASE("the schema states types, ranges and choices") {
  std::ostringstream os;
  config::schema<MachineParams>(os);
  const auto schema = json::parse(os.str()).value();
  CHECK(schema["additionalProperties"] == false);
  const auto& properties = schema["properties"];
  CHECK(properties["cores"]["anyOf"][0]["maximum"] == 32);
  CHECK(properties["cores"]["default"] == 2);
  CHECK(properties["clock"]["minimum"] == 0.5);
  CHECK(properties["core"]["properties"]["policy"]["enum"] == json::Value{"oldest", "round_robin"});
  const auto& unit = properties["units"]["anyOf"][0]["items"]["properties"];
  CHECK(unit["dim"]["anyOf"][0]["enum"] == json::Value{1, 2, 4, 8, 16, 32, 64});
}

namespace {

struct Misnamed {
  std::uint64_t depth = 1;
  static constexpr std::string_view kProgrammingModel[] = {"dept"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("depth", p.depth, "requests", base::Range{1, 4}, "a queue");
  }
};

}  // namespace

TEST_CASE("a number says which values are better: less of a time, more of an amount, else what is declared") {
  NumberParams numbers;
  const config::Field root = config::describe(numbers);
  const auto better = [&](const config::Field& group, const char* name) {
    for (const config::Field& field : group.children)
      if (field.name == name) return field.better;
    FAIL("no field " << name);
    return config::Better::kNeither;
  };
  CHECK(better(root, "latency") == config::Better::kLess);
  CHECK(better(root, "delay_ns") == config::Better::kLess);
  CHECK(better(root, "entries") == config::Better::kMore);
  CHECK(better(root, "clock_mhz") == config::Better::kMore);
  CHECK(better(root, "granularity") == config::Better::kNeither);
  CHECK(better(root, "base") == config::Better::kNeither);
  UnitParams unit;
  CHECK(better(config::describe(unit), "tile") == config::Better::kEither);
  CHECK(better(config::describe(unit), "dim") == config::Better::kMore);
}

TEST_CASE("parameters of the programming model are told apart from timing, with range and choices") {
  std::ostringstream text;
  config::write_json(text, config::list<MachineParams>());
  const auto find = [all = json::parse(text.str()).value()](const std::string& key) {
    return *std::find_if(all.begin(), all.end(), [&](const json::Value& one) { return one["key"] == key; });
  };
  CHECK(find("core.warps")["timing"] == false);
  CHECK(find("core.lanes")["timing"] == false);
  CHECK(find("core.policy")["timing"] == true);
  CHECK(find("core.policy")["choices"] == json::Value{"oldest", "round_robin"});
  CHECK(find("core.merge")["choices"] == json::Value{"true", "false"});
  CHECK(find("units[N].dim")["timing"] == true);
  CHECK(find("units[N].dim")["min"] == 1);
  CHECK(find("units[N].dim")["max"] == 64);
  CHECK(find("units[N].dim")["power_of_two"] == true);
  CHECK(find("units[N].tile")["power_of_two"] == false);
  CHECK(find("units")["timing"] == false);
  Misnamed params;
  CHECK_THROWS_WITH(config::describe(params), Catch::Contains("dept"));
}
