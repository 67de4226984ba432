// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/suppressions.h"

#include <fstream>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

namespace {

using spica::check::Signature;
using spica::check::suppression_line;
using spica::check::Suppressions;
using spica::input::UserError;

const std::vector<std::string> kKinds = {"race", "early_read", "tile"};

class Files {
 public:
  std::string make(const std::string& text) {
    const std::string path = folder_.path("s" + std::to_string(next_++));
    std::ofstream(path) << text;
    return path;
  }

 private:
  spica::testbench::TemporaryFolder folder_;
  int next_ = 0;
};

Signature race() {
  return {
      "race",
      {{{"push", "src/queue.h", 12}, {"producer", "src/main.cpp", 40}}, {{"consumer", "src/main.cpp", 70}}},
      "head"};
}

bool covers(const std::string& entry, const Signature& signature = race()) {
  Files files;
  return Suppressions({files.make(entry)}, kKinds).covers(signature);
}

std::string problems(const std::string& text) {
  Files files;
  try {
    Suppressions({files.make(text)}, kKinds);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a suppression names the kind of a finding, or all kinds") {
  CHECK(covers("race"));
  CHECK_FALSE(covers("tile"));
  CHECK(covers("* symbol=head"));
}

TEST_CASE("a function of a suppression is one of either side, inlined or not") {
  CHECK(covers("race function=push"));
  CHECK(covers("race function=producer"));
  CHECK(covers("race function=cons*"));
  CHECK_FALSE(covers("race function=con"));
}

TEST_CASE("a file of a suppression is the end of a path, with lines if wanted") {
  CHECK(covers("race file=queue.h"));
  CHECK(covers("race file=src/queue.h:12"));
  CHECK(covers("race file=*.cpp:60-70"));
  CHECK_FALSE(covers("race file=ueue.h"));
  CHECK_FALSE(covers("race file=queue.h:11"));
  CHECK_FALSE(covers("race file=main.cpp:41-69"));
}

TEST_CASE("a function or file given twice is one for each side") {
  CHECK(covers("race function=consumer function=push"));
  CHECK_FALSE(covers("race function=push function=producer"));
  CHECK(covers("race file=main.cpp:40 file=main.cpp:70"));
  CHECK_FALSE(covers("race file=queue.h:12 file=main.cpp:40"));
}

TEST_CASE("all that a suppression says must hold") {
  CHECK(covers("race function=push file=main.cpp symbol=h?ad"));
  CHECK_FALSE(covers("race function=push file=main.cpp symbol=tail"));
}

TEST_CASE("a value with spaces stands in double quotes, and comments are skipped") {
  Signature finding = race();
  finding.symbol = "operand A #1";
  CHECK(covers("# known\n\n  race symbol=\"operand A #1\"  # and why\n", finding));
}

TEST_CASE("the line made for a finding suppresses it, and only its pair of places") {
  Signature finding = race();
  finding.symbol = "operand A";
  const std::string line = suppression_line(finding);
  CHECK(line ==
        "race function=push file=src/queue.h:12 function=consumer file=src/main.cpp:70 "
        "symbol=\"operand A\"");
  CHECK(covers(line, finding));
  finding.sides[1][0].line = 71;
  CHECK_FALSE(covers(line, finding));
}

TEST_CASE("the summary counts what each entry suppressed and names those that matched nothing") {
  Files files;
  const std::string file = files.make("race function=push\ntile\nearly_read\n");
  Suppressions suppressions({file}, kKinds);
  CHECK(suppressions.covers(race()));
  CHECK(suppressions.covers(race()));
  CHECK(suppressions.count() == 2);
  CHECK(suppressions.summary({"race", "tile"}) ==
        "suppressed: 2 findings\n  2x " + file + ":1: race function=push\n  unused: " + file + ":2: tile\n");
  CHECK(Suppressions().summary(kKinds).empty());
}

TEST_CASE("all errors in suppression files are reported at once, with file and line") {
  const std::string text = problems(
      "rase\n"
      "race funktion=x\n"
      "race file=a.cpp:0\n"
      "race file=a.cpp:9-3\n"
      "*\n"
      "race symbol=\n"
      "race \"symbol=x\n"
      "race function=a function=b function=c\n");
  for (const char* part :
       {":1: \"rase\" is not a kind of finding, did you mean \"race\"?; allowed: *, race, "
        "early_read, tile",
        ":2: \"funktion=x\" is not known, did you mean \"function\"?", ":3: \"0\" is not a line",
        ":4: \"9-3\" is not a line", ":5: suppresses everything", ":6: symbol has no value",
        ":7: a quote is not closed", ":8: function is given three times"})
    CHECK_THAT(text, Catch::Contains(part));
  CHECK_THROWS_AS(Suppressions({"/no/such/file"}, kKinds), UserError);
}
