// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/provenance.h"

#include <nlohmann/json.hpp>

#include "testbenches/support/catch.h"
using namespace spica::report;

TEST_CASE("provenance names the build, the program, the configuration and the command") {
  spica::loader::Program program;
  program.image = {'a', 'b', 'c'};
  const auto json = provenance_json({"spica", "run", "my kernel.elf"}, program, "x: 1\n", 7);
  const std::string commit = json["commit"].get<std::string>();
  CHECK((commit == "unknown" || commit.size() == 40));
  CHECK_FALSE(json["version"].get<std::string>().empty());
  CHECK_FALSE(json["compiler"].get<std::string>().empty());
  CHECK(json["dirty"].is_boolean());
  CHECK(json["command_line"] == "spica run 'my kernel.elf'");
  CHECK(json["program_sha1"] == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(json["config_sha1"].get<std::string>().size() == 40);
  CHECK(json["config_sha1"] != provenance_json({}, program, "x: 2\n", 7)["config_sha1"]);
  CHECK(json["seed"] == 7);
  CHECK_THAT(version_text(), Catch::StartsWith(json["version"].get<std::string>() + " ("));
}

TEST_CASE("words are quoted for a shell only where needed") {
  CHECK(shell_text({}).empty());
  CHECK(shell_text({"a-b_c.elf", "--set=x:1,2", "k@0x80+4%"}) == "a-b_c.elf --set=x:1,2 k@0x80+4%");
  CHECK(shell_text({"", "a b", "$x", "it's", "a*"}) == "'' 'a b' '$x' 'it'\\''s' 'a*'");
  const std::vector<std::string> words{"", "a b", "$x", "it's", "a*", "plain", "a\nb\x1b\\", "x$", "$'"};
  CHECK(shell_words(shell_text(words)) == words);
  CHECK(shell_words("  one\ttwo\\ parts \"it's $x\" a'b'\"c\" \n") ==
        std::vector<std::string>{"one", "two parts", "it's $x", "abc"});
  CHECK(shell_words(" ").empty());
  CHECK(shell_text({"a\x1b\xFF'\\ \xC3\xB6"}) ==
        "$'a\\x1b\\xff\\'\\\\ \xC3\xB6'");  // what bash reads as these bytes
}
