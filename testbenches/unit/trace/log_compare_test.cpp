// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/log_compare.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;
using trace::ComparedLog;
using Kind = trace::Divergence::Kind;

namespace {

ComparedLog log_of(const std::string& text) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("spica_log_" + std::to_string(getpid()))).string();
  std::ofstream(path) << text;
  ComparedLog log(path);
  std::filesystem::remove(path);
  return log;
}

std::vector<trace::Divergence> differences(const std::string& a, const std::string& b,
                                           bool path_only = false) {
  return trace::compare_logs(log_of(a), log_of(b), {path_only});
}

const std::string kLog =
    "# cycle core.warp #number pc lanes instruction\n"
    "9 c0.w0 #0 0x80000000 01 addi t0,zero,1 | t0=0x1\n"
    "9 c0.w1 #0 0x80000000 01 addi t0,zero,1 | t0=0x1\n"
    "12 c0.w1 #1 0x80000004 01 flw fa5,0(a5) | fa5=0x42000000+4*i load @0xc0000400+32*i\n"
    "13 c0.w0 #1 0x80000004 01 sw t0,0(a5) | store @0xc0000400:0x1\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string lines(const std::vector<std::string>& instructions) {
  std::string text;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    text += "c0.w0 #" + std::to_string(i) + " " + instructions[i] + "\n";
  return text;
}

}  // namespace

TEST_CASE("logs are the same when each warp does the same, whenever and in whatever order") {
  CHECK(differences(kLog, kLog).empty());
  CHECK(differences(kLog,
                    "c0.w1 #0 0x80000000 01 addi t0,zero,1 | t0=0x1\n"
                    "c0.w1 #1 0x80000004 01 flw fa5,0(a5) | fa5=0x42000000+4*i load @0xc0000400+32*i\n"
                    "c0.w0 #0 0x80000000 01 addi t0,zero,1 | t0=0x1\n"
                    "c0.w0 #1 0x80000004 01 sw t0,0(a5) | store @0xc0000400:0x1\n")
            .empty());
}

TEST_CASE("the first difference says its kind, and values count unless the path is all that is asked for") {
  const struct {
    const char *from, *to;
    Kind kind;
  } cases[] = {{"#1 0x80000004 01 sw", "#1 0x80000008 01 sw", Kind::kPc},
               {"#1 0x80000004 01 sw", "#1 0x80000004 03 sw", Kind::kLanes},
               {"sw t0,0(a5)", "sw t1,0(a5)", Kind::kInstruction},
               {":0x1\n", ":0x2\n", Kind::kEffect}};
  for (const auto& one : cases) {
    const auto found = differences(kLog, replaced(kLog, one.from, one.to));
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == one.kind);
    CHECK(found[0].warp == trace::WarpName(0, 0));
    CHECK(found[0].first == 1);
  }
  CHECK(differences(kLog, replaced(kLog, ":0x1\n", ":0x2\n"), true).empty());
  const auto shorter = differences(kLog, kLog.substr(0, kLog.rfind("13 ")));
  REQUIRE(shorter.size() == 1);
  CHECK(shorter[0].kind == Kind::kSecondEnds);
  CHECK(differences(kLog, kLog + "14 c3.w0 #0 0x80000000 01 nop\n")[0].kind == Kind::kFirstEnds);
}

TEST_CASE("of several warps the one that parts first in time comes first") {
  std::string other = replaced(kLog, ":0x1\n", ":0x2\n");
  other = replaced(other, "fa5=0x42", "fa5=0x43");
  const auto found = differences(kLog, other);
  REQUIRE(found.size() == 2);
  CHECK(found[0].warp == trace::WarpName(0, 1));  // cycle 12
  CHECK(found[1].warp == trace::WarpName(0, 0));
}

TEST_CASE("a loop that waits may go round as often as it likes") {
  const std::string again = "0x80000010 01 lw t0,0(a0) | t0=0x1 load @0xff013020",
                    branch = "0x80000014 01 bne t0,zero,0x80000010",
                    last = "0x80000010 01 lw t0,0(a0) | t0=0x0 load @0xff013020",
                    next = "0x80000018 01 addi a1,zero,5 | a1=0x5";
  const std::string short_wait = lines({last, branch, next}),
                    long_wait = lines({again, branch, again, branch, again, branch, last, branch, next});
  CHECK(differences(short_wait, long_wait).empty());
  CHECK(differences(long_wait, short_wait).empty());
  CHECK(differences(long_wait, short_wait, true).empty());
  CHECK(differences(short_wait, lines({again, branch, last, branch, "0x80000018 01 addi a1,zero,6 | a1=0x6"}))
            .size() == 1);
}

TEST_CASE("a loop that counts or stores must go round as often") {
  const std::string first = "0x80000010 01 addi a0,a0,1 | a0=0x1",
                    second = "0x80000010 01 addi a0,a0,1 | a0=0x2",
                    branch = "0x80000014 01 bne a0,a1,0x80000010",
                    next = "0x80000018 01 addi a2,zero,5 | a2=0x5";
  CHECK(
      differences(lines({first, branch, next}), lines({first, branch, second, branch, next}), true).size() ==
      1);
  const std::string store = "0x80000010 01 sw a0,0(a1) | store @0x80001000:0x1",
                    other = "0x80000010 01 sw a0,0(a1) | store @0x80001004:0x1";
  CHECK(differences(lines({store, branch, next}), lines({store, branch, other, branch, next}), true).size() ==
        1);
}

TEST_CASE("what is read from the clock is no difference") {
  CHECK(differences(lines({"0x80000010 01 csrrs s2,mcycle,zero | s2=0x71c"}),
                    lines({"0x80000010 01 csrrs s2,mcycle,zero | s2=0xb2"}))
            .empty());
  CHECK(differences(lines({"0x80000010 01 csrrs s2,0xfc1,zero | s2=0x8"}),
                    lines({"0x80000010 01 csrrs s2,0xfc1,zero | s2=0x4"}))
            .size() == 1);
}

TEST_CASE("a log of Spike is compared by pcs and registers from the program's first instruction on") {
  const std::string own =
      lines({"0x80000000 01 addi t0,zero,1 | t0=0x1", "0x80000004 01 sw t0,0(sp) | store @0x80001000:0x1",
             "0x80000008 01 flw fa0,0(sp) | fa0=0x3f800000 load @0x80001000"});
  const std::string spike =
      "core   0: 3 0x00001000 (0x00000297) x5  0x00001000\n"
      "core   0: 3 0x80000000 (0x00100293) x5  0x00000001\n"
      "core   0: 3 0x80000004 (0x00512023) mem 0x80001000 0x00000001\n"
      "core   0: 3 0x80000008 (0x00012507) c1_fflags 0x0 f10 0xffffffff3f800000 mem 0x80001000\n";
  CHECK(differences(own, spike).empty());
  CHECK(differences(spike, own).empty());
  const auto found = differences(own, replaced(spike, "0xffffffff3f800000", "0xffffffff3f800001"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::kEffect);
  CHECK(found[0].first == 2);
}

TEST_CASE("what is no log is refused with its line") {
  using Catch::Contains;
  CHECK_THROWS_WITH(log_of("c0.w0 #0 0x80000000 01 nop\nhello\n"),
                    Contains(":2: not a line of an instruction log: 'hello'"));
  CHECK_THROWS_WITH(log_of("# nothing\n"), Contains("contains no instructions; --trace FILE.log writes"));
  CHECK_THROWS_AS(log_of("core 0: junk\n"), input::UserError);
}
