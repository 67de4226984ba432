// SPDX-License-Identifier: Apache-2.0

#include "testbenches/unit/trace/trace_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::trace;
using testbench::kBase;

namespace {

struct Read {
  Filter filter;
  std::vector<std::string> problems;
};

Read read(const std::vector<std::string>& texts) {
  static const loader::Program program = testbench::small_program();
  static const loader::SourceMap sources(program);
  Read result;
  result.filter = Filter(texts, {4, 8}, program, sources, result.problems);
  return result;
}

}  // namespace

TEST_CASE("an empty filter keeps everything") {
  const Filter filter;
  CHECK(filter.accepts(testbench::TraceBench::at(3, 7, 0)));
  CHECK_FALSE(filter.by_time());
}

TEST_CASE("values of a key add up, keys must all agree") {
  const auto [filter, problems] = read({"core=0,core=2-3", "warp=-1"});
  REQUIRE(problems.empty());
  CHECK(filter.accepts_warp(0, 1));
  CHECK(filter.accepts_warp(3, 0));
  CHECK_FALSE(filter.accepts_warp(1, 0));
  CHECK_FALSE(filter.accepts_warp(0, 2));
}

TEST_CASE("a function stands for its instructions, beside ranges of pcs") {
  const auto [filter, problems] = read({"function=second"});
  REQUIRE(problems.empty());
  CHECK_FALSE(filter.accepts_pc(kBase + 4));
  CHECK(filter.accepts_pc(kBase + 8));
  CHECK(filter.accepts_pc(kBase + 12));
  const auto [both, none] = read({"function=second,pc=0x80000000"});
  REQUIRE(none.empty());
  CHECK(both.accepts_pc(kBase));
  CHECK_FALSE(both.accepts_pc(kBase + 4));
  CHECK(both.accepts_pc(kBase + 8));
}

TEST_CASE("times are ranges with both ends, open or closed") {
  const auto [filter, problems] = read({"cycles=10-20,cycles=100-"});
  REQUIRE(problems.empty());
  CHECK(filter.by_time());
  CHECK_FALSE(filter.accepts_cycle(9));
  CHECK(filter.accepts_cycle(10));
  CHECK(filter.accepts_cycle(20));
  CHECK_FALSE(filter.accepts_cycle(21));
  CHECK(filter.accepts_cycle(1'000'000));
  CHECK(filter.first_of(15) == 10);
  CHECK(filter.behind(15) == 21);
  CHECK(filter.behind(500) == base::kNever);
}

TEST_CASE("each error in a filter is reported") {
  CHECK(read({"core=0,core=4"}).problems.size() == 1);
  CHECK(read({"warp=7-8"}).problems.size() == 1);
  CHECK(read({"cor=1"}).problems[0].find("did you mean \"core\"") != std::string::npos);
  CHECK(read({"function=secnd"}).problems[0].find("did you mean \"second\"") != std::string::npos);
  CHECK(read({"cycles=,pc=-,warp=x,core=2-1", "core"}).problems.size() == 5);
}
