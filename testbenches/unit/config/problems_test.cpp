// SPDX-License-Identifier: Apache-2.0
// Every kind of mistake and the exact sentence the user reads.

#include "testbenches/unit/config/machine_params.h"

#include "testbenches/support/catch.h"

using namespace spica;
using config_test::ConfigFolder;

TEST_CASE("an unknown key names the closest key and all keys") {
  ConfigFolder folder;
  CHECK(folder.problems("cores: 2\ncore:\n  wraps: 4\n") ==
        "configs/m.yaml:3: core.wraps: unknown key, did you mean \"warps\"?; "
        "allowed: warps, lanes, policy, merge");
  CHECK(folder.problems("core: {zzz: 4}\n") ==
        "configs/m.yaml:1: core.zzz: unknown key; allowed: warps, lanes, policy, merge");
}

TEST_CASE("a key at the wrong level names the right one") {
  ConfigFolder folder;
  CHECK(folder.problems("policy: oldest\n") ==
        "configs/m.yaml:1: policy: unknown key, did you mean \"core.policy\"?; "
        "allowed: cores, memory, base, clock, title, core, units");
}

TEST_CASE("a value of the wrong kind says what it is not") {
  ConfigFolder folder;
  CHECK(folder.problems("cores: eight\n") ==
        "configs/m.yaml:1: cores: \"eight\" is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 8x\n") ==
        "configs/m.yaml:1: cores: \"8x\" is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 2.0\n") ==
        "configs/m.yaml:1: cores: \"2.0\" is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 010\n") ==
        "configs/m.yaml:1: cores: \"010\" is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 4 KiB\n") ==
        "configs/m.yaml:1: cores: \"4 KiB\" is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 0x\n") ==
        "configs/m.yaml:1: cores: \"0x\" is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: [2]\n") ==
        "configs/m.yaml:1: cores: a list is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores: {a: 2}\n") ==
        "configs/m.yaml:1: cores: a group of keys is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("cores:\n") ==
        "configs/m.yaml:1: cores: nothing is not a whole number; allowed: 1..32 cores");
  CHECK(folder.problems("clock: fast\n") ==
        "configs/m.yaml:1: clock: \"fast\" is not a number; allowed: 0.5..5000 MHz");
  CHECK(folder.problems("clock: nan\n") ==
        "configs/m.yaml:1: clock: \"nan\" is not a number; allowed: 0.5..5000 MHz");
  CHECK(folder.problems("core: {merge: yes}\n") ==
        "configs/m.yaml:1: core.merge: \"yes\" is not a boolean; allowed: true, false");
  CHECK(folder.problems("core: 8\n") ==
        "configs/m.yaml:1: core: \"8\" is not a group of keys; allowed: warps, lanes, policy, merge");
  CHECK(folder.problems("units: 8\n") == "configs/m.yaml:1: units: \"8\" is not a list");
  CHECK(folder.problems("title: [a]\n") ==
        "configs/m.yaml:1: title: a list is not a string; allowed: any text");
  CHECK(folder.problems("- 1\n") ==
        "configs/m.yaml:1: a list is not a group of keys; "
        "allowed: cores, memory, base, clock, title, core, units");
}

TEST_CASE("a number out of range shows range and unit") {
  ConfigFolder folder;
  CHECK(folder.problems("cores: 64\n") ==
        "configs/m.yaml:1: cores: 64 is out of range; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 0\n") == "configs/m.yaml:1: cores: 0 is out of range; allowed: 1..32 cores");
  CHECK(folder.problems("cores: -1\n") == "configs/m.yaml:1: cores: -1 is negative; allowed: 1..32 cores");
  CHECK(folder.problems("cores: 99999999999999999999999\n") ==
        "configs/m.yaml:1: cores: 99999999999999999999999 is out of range; allowed: 1..32 cores");
  CHECK(folder.problems("core: {warps: 4294967297}\n") ==
        "configs/m.yaml:1: core.warps: 4294967297 is out of range; allowed: 1..32 warps");
  CHECK(folder.problems("memory: 18014398509481985 KiB\n") ==
        "configs/m.yaml:1: memory: 18014398509481985 KiB is out of range; "
        "allowed: 1 KiB..1 GiB, powers of two");
  CHECK(folder.problems("clock: 1e5\n") ==
        "configs/m.yaml:1: clock: 1e5 is out of range; allowed: 0.5..5000 MHz");
  CHECK(folder.problems("clock: 1e999\n") ==
        "configs/m.yaml:1: clock: 1e999 is out of range; allowed: 0.5..5000 MHz");
  CHECK(folder.problems("base: 0x100000000\n") ==
        "configs/m.yaml:1: base: 0x100000000 is out of range; allowed: 0x00000000..0xffffffff");
}

TEST_CASE("a number that is not a power of two is reported as such") {
  ConfigFolder folder;
  CHECK(folder.problems("memory: 48 KiB\n") ==
        "configs/m.yaml:1: memory: 48 KiB is not a power of two; allowed: 1 KiB..1 GiB, powers of "
        "two");
}

TEST_CASE("an unknown choice lists the choices") {
  ConfigFolder folder;
  CHECK(folder.problems("core: {policy: oldset}\n") ==
        "configs/m.yaml:1: core.policy: \"oldset\" is not one of the choices, did you mean \"oldest\"?; "
        "allowed: oldest, round_robin");
}

TEST_CASE("a contradiction names all keys and where each was set") {
  ConfigFolder folder;
  folder.write("blocks/core.yaml", "\nwarps: 32\n");
  CHECK(folder.problems("cores: 4\ncore: {extends: blocks/core.yaml}\n") ==
        "configs/m.yaml:1: cores, core.warps: more than 64 warps in the machine; "
        "cores = 4 (configs/m.yaml:1), core.warps = 32 (configs/blocks/core.yaml:2)");
  CHECK(folder.problems("\ncores: 16\n") ==
        "configs/m.yaml:2: cores, core.warps: more than 64 warps in the machine; "
        "cores = 16 (configs/m.yaml:2), core.warps = 8 (default)");
  CHECK(folder.problems("units: [{dim: 8}, {dim: 32}]\n", {"core.lanes=4"}) ==
        "configs/m.yaml:1: units[1].dim, core.lanes: unit wider than 2 warps; "
        "units[1].dim = 32 (configs/m.yaml:1), core.lanes = 4 (--set #1)");
  CHECK(folder.problems("units:\n- tile: 12\n") ==
        "configs/m.yaml:2: units[0].tile, units[0].dim: tile must be a multiple of dim; "
        "units[0].tile = 12 (configs/m.yaml:2), units[0].dim = 8 (default)");
}

TEST_CASE("a wrong value is not also reported as a contradiction") {
  ConfigFolder folder;
  CHECK(folder.problems("units: [{dim: 3, tile: 63}]\n") ==
        "configs/m.yaml:1: units[0].dim: 3 is not a power of two; allowed: 1..64 elements, powers "
        "of two");
}

TEST_CASE("a missing file is named with where it was asked for") {
  ConfigFolder folder;
  CHECK(folder.problems("core:\n  extends: blocks/none.yaml\n") ==
        "configs/m.yaml:2: core.extends: cannot read configs/blocks/none.yaml: No such file or "
        "directory; "
        "allowed: a path relative to this file, or the name of a file in configs");
  folder.write("blocks/core.yaml", "");
  CHECK(folder.problems("extends: blocks\n") ==
        "configs/m.yaml:1: extends: cannot read configs/blocks: it is a folder; "
        "allowed: a path relative to this file, or the name of a file in configs");
}

TEST_CASE("a configuration that does not exist lists those that do") {
  ConfigFolder folder;
  folder.write("virgo.yaml", "");
  folder.write("volta.yaml", "");
  config_test::MachineParams params;
  CHECK_THROWS_WITH(config::apply(config::load("virgi", {}, folder.configs()), params),
                    "virgi: no such configuration, did you mean \"virgo\"?; "
                    "allowed: virgo, volta, or the path of a YAML file");
}

TEST_CASE("a syntax error has line and column") {
  ConfigFolder folder;
  CHECK(folder.problems("cores: 2\ncore: {warps: 4\n") ==
        "configs/m.yaml:3:1: not YAML: end of map flow not found");
  CHECK(folder.problems("cores: 2\n---\ncores: 4\n") ==
        "configs/m.yaml:2:1: the YAML document ends before this; allowed: one document");
  CHECK(folder.problems("{cores: 2} core: {}\n") == "configs/m.yaml:1:12: not YAML: end of map not found");
  CHECK(folder.problems(", cores: 2\n") ==
        "configs/m.yaml:1:1: the YAML document ends before this; allowed: one document");
}

TEST_CASE("a key given twice is an error, not a surprise") {
  ConfigFolder folder;
  CHECK(folder.problems("cores: 2\ncore: {}\ncores: 4\n") ==
        "configs/m.yaml:3: cores: given twice; first at configs/m.yaml:1");
}

TEST_CASE("files that extend each other are reported with the cycle") {
  ConfigFolder folder;
  folder.write("a.yaml", "\nextends: b.yaml\n");
  folder.write("b.yaml", "extends: a.yaml\n");
  CHECK(folder.problems("extends: a.yaml\n") ==
        "configs/b.yaml:1: extends: files extend each other in a cycle: "
        "configs/a.yaml -> configs/b.yaml -> configs/a.yaml");
}

TEST_CASE("extends wants file names, and files with keys") {
  ConfigFolder folder;
  folder.write("list.yaml", "- 1\n");
  CHECK(folder.problems("extends: {a: b}\n") ==
        "configs/m.yaml:1: extends: not a file name; allowed: a file name or a list of them");
  CHECK(folder.problems("core:\n  extends: list.yaml\n") ==
        "configs/list.yaml:1: core: a file that is extended must be a map of keys");
}

TEST_CASE("an invalid override is named by its number") {
  ConfigFolder folder;
  CHECK(
      folder.problems("cores: 2\n", {"cores=2", "core.wraps=3", "cores=many", "cores", "=3"}) ==
      "--set #2: core.wraps: unknown key, did you mean \"warps\"?; "
      "allowed: warps, lanes, policy, merge\n"
      "--set #3: cores: \"many\" is not a whole number; allowed: 1..32 cores\n"
      "--set #4: \"cores\" is not an override; allowed: key.path=value; list[0].key=value for an entry of a list\n"
      "--set #5: \"=3\" is not an override; allowed: key.path=value; list[0].key=value for an entry of a list");
  CHECK(folder.problems("units: [{}, {}]\n", {"units[2].dim=4"}) ==
        "--set #1: units[2]: the list has no such entry; allowed: 0..1");
  CHECK(folder.problems("", {"units.1.dim=4"}) ==
        "--set #1: units[1]: the list has no such entry; allowed: 0");
  for (const char* text : {"units[0.dim=1", "units[].dim=1", "units[one].dim=1", "[0].dim=1", "units[0]dim=1",
                           "units[0]=1=", "units.[0].dim=1"})
    CHECK_FALSE(folder.problems("", {text}).empty());
  CHECK(folder.problems("units: {dim: 4}\n") ==
        "configs/m.yaml:1: units.dim: expected a list or an entry number; allowed: 0");
}

TEST_CASE("all problems are reported at once, sorted by file and line") {
  ConfigFolder folder;
  folder.write("blocks/core.yaml", "lanes: 99\nwraps: 1\n");
  CHECK(
      folder.problems("colour: red\ncore: {extends: blocks/core.yaml, warps: x}\ncores: 0\n", {"clock=0"}) ==
      "configs/blocks/core.yaml:1: core.lanes: 99 is out of range; allowed: 1..32 lanes\n"
      "configs/blocks/core.yaml:2: core.wraps: unknown key, did you mean \"warps\"?; "
      "allowed: warps, lanes, policy, merge\n"
      "configs/m.yaml:1: colour: unknown key; "
      "allowed: cores, memory, base, clock, title, core, units\n"
      "configs/m.yaml:2: core.warps: \"x\" is not a whole number; allowed: 1..32 warps\n"
      "configs/m.yaml:3: cores: 0 is out of range; allowed: 1..32 cores\n"
      "--set #1: clock: 0 is out of range; allowed: 0.5..5000 MHz");
}

TEST_CASE("a small file that unfolds without end is refused") {
  ConfigFolder folder;
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int n = 1; n < 10; ++n) text += "," + alias;
    text += "]\n";
  }
  CHECK_THAT(folder.problems(text), Catch::Contains("too large or too deep"));
  CHECK_THAT(folder.problems("core: &c {core: *c}\n"), Catch::Contains("configs/m.yaml:1"));
}

TEST_CASE("a default outside its own range is an internal error") {
  struct Wrong {
    std::uint64_t size = 3;
    static void describe(Wrong& p, config::detail::Describer&& field) {
      field("size", p.size, "rows", base::Range{4, 8}, "");
    }
  };
  ConfigFolder folder;
  folder.write("m.yaml", "");
  Wrong params;
  CHECK_THROWS_WITH(config::apply(config::load("m", {}, folder.configs()), params),
                    "default of size: 3 is out of range; allowed: 4..8 rows");
}
