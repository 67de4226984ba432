// SPDX-License-Identifier: Apache-2.0
// Small configurations that ask for a lot. Each of these took minutes, gigabytes or the stack when
// nothing was limited; the time limit of the tests is part of what they check.
#include <fmt/format.h>
#include <sys/stat.h>

#include <random>
#include <sstream>

#include "platform/base/config/yaml_bytes.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/config/machine_params.h"

using namespace spica;
using Catch::Contains;
using config_test::ConfigFolder;

TEST_CASE("files that extend the same file twice, forty levels deep, are read once each") {
  ConfigFolder folder;
  folder.write("f0.yaml", "cores: 3\nclock: 7\n");
  for (int i = 1; i <= 40; ++i)
    folder.write(fmt::format("f{}.yaml", i),
                 fmt::format("extends: [f{0}.yaml, f{0}.yaml]\nclock: {1}\n", i - 1, i));
  const config_test::MachineParams params = folder.read("extends: [f40.yaml, f39.yaml, f40.yaml]\n");
  CHECK(params.cores == 3);
  CHECK(params.clock == 40);
  const config::Source source = config::load("m", {}, folder.configs());
  CHECK(source.files.size() == 42);
}

TEST_CASE("two files that extend one file below different keys both get it") {
  ConfigFolder folder;
  folder.write("unit.yaml", "dim: 4\n");
  folder.write("left.yaml", "units: [{extends: unit.yaml, tile: 8}]\n");
  const config_test::MachineParams params = folder.read(
      "extends: [left.yaml, left.yaml]\nunits: [{extends: unit.yaml}, {extends: unit.yaml, tile: 16}]\n");
  REQUIRE(params.units.size() == 2);
  CHECK(params.units[0].dim == 4);
  CHECK(params.units[1].dim == 4);
  CHECK(params.units[1].tile == 16);
}

TEST_CASE("files that double below two keys each are too large, not endless") {
  ConfigFolder folder;
  folder.write("f0.yaml", "a: 1\nb: 2\n");
  for (int i = 1; i <= 40; ++i)
    folder.write(fmt::format("f{}.yaml", i),
                 fmt::format("a: {{extends: f{0}.yaml}}\nb: {{extends: f{0}.yaml}}\n", i - 1));
  CHECK_THAT(folder.problems("extends: f40.yaml\n"),
             Contains("too large or too deep; allowed: 20000 values, 64 levels"));
}

TEST_CASE("a chain of files is followed to 64, and no further") {
  ConfigFolder folder;
  folder.write("f0.yaml", "cores: 3\n");
  for (int i = 1; i <= 2000; ++i)
    folder.write(fmt::format("f{}.yaml", i), fmt::format("extends: f{}.yaml\n", i - 1));
  CHECK(folder.read("extends: f62.yaml\n").cores == 3);
  CHECK_THAT(folder.problems("extends: f63.yaml\n"), Contains("more than 64 files extend each other"));
  CHECK_THAT(folder.problems("extends: f2000.yaml\n"), Contains("more than 64 files extend each other"));
}

TEST_CASE("a large file that many entries extend is parsed once") {
  ConfigFolder folder;
  folder.write("comment.yaml", std::string(1'000'000, '#') + "\n");
  std::string units = "units:\n";
  for (int i = 0; i < 5000; ++i) units += "- {extends: comment.yaml}\n";
  CHECK_THAT(folder.problems(units), Contains("units: a list of 5000 entries; allowed: at most 256"));
}

TEST_CASE("aliases, nesting, keys and lists beyond all measure are refused in time") {
  ConfigFolder folder;
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i)
    laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                          i - 1);
  CHECK_THAT(folder.problems(laughs), Contains("too large or too deep"));
  CHECK_THAT(folder.problems("a: &a [*a]\n"), Contains("a: "));
  CHECK(folder.problems(std::string(100'000, '[')) != "");
  CHECK(folder.problems(std::string(100'000, '{')) != "");
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += std::string(i, ' ') + "a:\n";
  CHECK_THAT(folder.problems(deep), Contains("too large or too deep"));
  std::string wide;
  for (int i = 0; i < 60'000; ++i) wide += fmt::format("k{}: 1\n", i);
  CHECK_THAT(folder.problems(wide), Contains("too large or too deep"));
  wide.clear();
  for (int i = 0; i < 10'000; ++i) wide += fmt::format("a{}:\n", i);
  CHECK_THAT(folder.problems(wide),
             Contains("a99: unknown key") && Contains("configs/m.yaml:10000: 9900 more unknown keys"));
  CHECK_THAT(folder.problems("units: [" + std::string(2 * 300, ',') + "]\n"), Contains("units: "));
  CHECK_THAT(folder.problems("? " + std::string(900'000, 'a') + "\n: 1\n"), Contains("unknown key"));
  CHECK_THAT(folder.problems("cores: " + std::string(900'000, '9') + "\n"), Contains("is out of range"));
}

TEST_CASE("an override of 60,000 levels is refused") {
  ConfigFolder folder;
  std::string path = "core";
  for (int i = 0; i < 60'000; ++i) path += ".core";
  CHECK_THAT(folder.problems("", {path + "=1"}),
             Contains("--set #1: an override of too many levels; allowed: 64"));
}

TEST_CASE("what is no regular file, or too large, is no configuration") {
  ConfigFolder folder;
  REQUIRE(mkfifo((folder.configs() / "pipe.yaml").c_str(), 0600) == 0);
  CHECK_THAT(folder.problems("extends: pipe.yaml\n"),
             Contains("cannot read configs/pipe.yaml: it is a pipe"));
  CHECK_THAT(folder.problems("extends: /dev/zero\n"), Contains("cannot read /dev/zero: it is a device"));
  folder.write("large.yaml", "");
  std::filesystem::resize_file(folder.configs() / "large.yaml", 3ull << 30);
  CHECK_THAT(folder.problems("core: {extends: large.yaml}\n"),
             Contains("it has 3 GiB; it is larger than the limit of 1 MiB"));
}

TEST_CASE("a value, a key and a file name may have any bytes") {
  ConfigFolder folder;
  CHECK(folder
            .read("title: gr\xF6\xDF"
                  "e\n")
            .title ==
        "gr\xF6\xDF"
        "e");
  CHECK(folder.read("", {"title=\x1b[31m\x04\xFF\x80"}).title == "\x1b[31m\x04\xFF\x80");
  CHECK(folder.read("title: größe 行\n").title == "größe 行");
  const std::string all = "a \"b\" \\n \n\r\t: [ # '\x01\xFF \xF4\x8F\xBA\x80";
  CHECK(folder.read("", {"title=" + config::quoted_value(all)}).title == all);
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  std::ostringstream dump;
  config_test::MachineParams params;
  params.title = bytes;
  config::dump(dump, params, config::Source{});
  CHECK(folder.read(dump.str()).title == bytes);
  folder.write("na\xFFme\x1b.yaml", "cores: 5\n");
  CHECK(folder.read("extends: \"na\xFFme\x1b.yaml\"\n").cores == 5);
  CHECK(folder.problems("c\xFFres\x1b: 1\n").substr(0, 40) == "configs/m.yaml:1: c\\xffres\\x1b: unknown ");
  CHECK_THAT(folder.problems("extends: \"none\xFF\x1b.yaml\"\n"),
             Contains("cannot read configs/none\\xff\\x1b.yaml: No such"));
  CHECK_THAT(folder.problems("cores: \"\x1b[2J\"\n"), Contains("\"\\x1b[2J\" is not a whole number"));
}

TEST_CASE("any bytes in a configuration end with values or with problems") {
  ConfigFolder folder;
  std::mt19937 random(13);
  const std::vector<std::string> pieces{"cores: ",
                                        "core: ",
                                        "units: ",
                                        "extends: ",
                                        "m.yaml",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ", ",
                                        "\n",
                                        "\n  ",
                                        "- ",
                                        "? ",
                                        ": ",
                                        "&a ",
                                        "*a ",
                                        "!!binary ",
                                        "|\n  ",
                                        ">",
                                        "'",
                                        "\"",
                                        "#",
                                        "%YAML 1.2\n",
                                        "---\n",
                                        "...\n",
                                        "\x04",
                                        "\xFF",
                                        "\xEF\xBB\xBF",
                                        "1",
                                        "0x",
                                        "title: ",
                                        "\\",
                                        "\t",
                                        "<<: ",
                                        std::string(1, '\0')};
  for (int round = 0; round < 1500; ++round) {
    std::string text;
    for (auto n = random() % 24; n > 0; --n)
      text += random() % 8 == 0 ? std::string(1 + random() % 3, static_cast<char>(random()))
                                : pieces[random() % pieces.size()];
    INFO("round " << round);
    CHECK_NOTHROW(folder.problems(text));
    CHECK_NOTHROW(folder.problems("", {"core=" + text, text}));
  }
}
