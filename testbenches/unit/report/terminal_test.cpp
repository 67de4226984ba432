// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/terminal.h"

#include <sstream>
#include <stdexcept>

#include "platform/observe/report/progress_line.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::report;
using namespace std::chrono_literals;

namespace {

constexpr Terminal kFile{false, false, false};
constexpr Terminal kTty{true, true, true};

}  // namespace

TEST_CASE("colour needs a terminal and no NO_COLOR") {
  CHECK(terminal_from(true, "xterm", nullptr, nullptr, nullptr, nullptr).color);
  CHECK(terminal_from(true, "xterm", "", nullptr, nullptr, nullptr).color);
  CHECK_FALSE(terminal_from(true, "xterm", "1", nullptr, nullptr, nullptr).color);
  CHECK_FALSE(terminal_from(true, "dumb", nullptr, nullptr, nullptr, nullptr).color);
  CHECK_FALSE(terminal_from(true, nullptr, nullptr, nullptr, nullptr, nullptr).color);
  CHECK_FALSE(terminal_from(false, "xterm", nullptr, nullptr, nullptr, nullptr).color);
  CHECK(colored("x", Color::kRed, kFile) == "x");
  CHECK(colored("x", Color::kRed, kTty) == "\x1b[31mx\x1b[0m");
}

TEST_CASE("the first locale variable that is set decides about UTF-8") {
  const auto utf8 = [](const char* all, const char* ctype, const char* lang) {
    return terminal_from(false, nullptr, nullptr, all, ctype, lang).utf8;
  };
  CHECK(utf8(nullptr, nullptr, "en_US.UTF-8"));
  CHECK(utf8("C.utf8", nullptr, "C"));
  CHECK_FALSE(utf8("C", "en_US.UTF-8", "en_US.UTF-8"));
  CHECK(utf8("", "de_DE.UTF-8", "C"));
  CHECK_FALSE(utf8(nullptr, nullptr, nullptr));
}

TEST_CASE("bars are as wide as asked for") {
  CHECK(bar(0, 4, kFile) == "....");
  CHECK(bar(0.5, 4, kFile) == "##..");
  CHECK(bar(7, 4, kFile) == "####");
  CHECK(bar(-1, 4, kFile) == "....");
  CHECK(bar(0.0 / 0.0, 4, kFile) == "....");
  CHECK(bar(0.5, 4, kTty) == "██  ");
  CHECK(bar(5.0 / 16, 2, kTty) == "▋ ");
  CHECK(bar(13.0 / 16, 2, kTty) == "█▋");
  for (int i = 0; i <= 100; ++i) CHECK(shown_width(bar(i / 100.0, 10, kTty)) == 10);
}

TEST_CASE("tables align UTF-8 text and leave out empty columns") {
  TextTable table({{"name"}, {"unused"}, {"n", TextTable::Align::kRight}});
  table.add({"µ", "", "1"});
  table.add({"longer", "", "100"});
  table.add({"x"});
  CHECK(table.text(1) == " name      n\n µ         1\n longer  100\n x\n");
}

TEST_CASE("shares are sorted, add up to 100 % and zeros are left out") {
  CHECK(percent_table({{"b", 25}, {"none", 0}, {"a", 25}, {"most", 50}}, kFile) ==
        "    most  50  50.0 %  ############............\n"
        "    a     25  25.0 %  ######..................\n"
        "    b     25  25.0 %  ######..................\n");
  CHECK(percent_table({Share{"none", 0}}, kFile).empty());
  std::ostringstream out;
  print_shares(out, "nothing", {{"none", 0}}, kFile);
  CHECK(out.str().empty());
  print_shares(out, "  slots", {{"all", 2000}}, kFile);
  CHECK(out.str() == "  slots\n    all  2 k  100.0 %  ########################\n");
  base::CycleAccount account("slot", "", {"idle", "busy"});
  account.charge(1, 1000);
  account.settle(4000);
  CHECK_THAT(percent_table(account, kFile), Catch::StartsWith("    busy  3 k  75.0 %  "));
}

TEST_CASE("the progress line is rewritten at most ten times a second and erased at the end") {
  std::ostringstream out;
  const ProgressLine::Clock::time_point start{};
  const auto never = []() -> std::string { throw std::logic_error("text made for nothing"); };
  {
    ProgressLine line(out, kTty, 0, start);
    line.show([] { return "one"; }, start + 2000ms);
    line.show(never, start + 2099ms);
    line.show([] { return "three"; }, start + 2100ms);
    CHECK(out.str() == "\r\x1b[Kone\r\x1b[Kthree");
  }
  CHECK(out.str() == "\r\x1b[Kone\r\x1b[Kthree\r\x1b[K");
}

TEST_CASE("the progress line comes after two seconds, not before") {
  std::ostringstream out;
  const ProgressLine::Clock::time_point start{};
  ProgressLine line(out, kTty, 0, start);
  line.show([]() -> std::string { throw std::logic_error("text made for nothing"); }, start + 1999ms);
  CHECK(out.str().empty());
  line.show([] { return "one"; }, start + 2000ms);
  CHECK(out.str() == "\r\x1b[Kone");
}

TEST_CASE("the progress line is one column shorter than the terminal, so that it can be erased") {
  std::ostringstream out;
  const ProgressLine::Clock::time_point start{};
  ProgressLine line(out, kTty, 5, start);
  line.show([] { return "abcdefgh"; }, start + 2s);
  CHECK(out.str() == "\r\x1b[Kabcd");
}

TEST_CASE("there is no progress line without a terminal") {
  std::ostringstream out;
  const ProgressLine::Clock::time_point start{};
  {
    ProgressLine line(out, kFile, 0, start);
    line.show([]() -> std::string { throw std::logic_error("text made for nothing"); }, start + 3s);
  }
  CHECK(out.str().empty());
}
