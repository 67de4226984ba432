// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/table.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "platform/studies/sweep/compare.h"
#include "platform/studies/sweep/front.h"
#include "testbenches/support/catch.h"

using namespace spica::sweep;
using Catch::Contains;

namespace {

const spica::config::Operand kNothing{};

/// A sweep of two axes with results.
struct Bench {
  Bench() {
    for (const char* name : {"design", "size"}) {
      Axis axis;
      axis.name = name;
      axis.keys = {name};
      sweep.axes.push_back(axis);
    }
    sweep.axes[0].values = {{"tc", {}}, {"virgo", {}}};
    sweep.axes[1].values = {{"64", {}}, {"128", {}}};
  }
  static spica::config::Operand word(const char* text) { return std::string(text); }

  Sweep sweep;
  Rows rows{{"point", "design", "size", "state", "reason", "cycles"},
            {{0.0, word("tc"), 64.0, word("ok"), kNothing, 1000.0},
             {1.0, word("tc"), 128.0, word("ok"), kNothing, 8000.0},
             {2.0, word("virgo"), 64.0, word("ok"), kNothing, 500.0},
             {3.0, word("virgo"), 128.0, word("hang"), word("it waits"), kNothing}}};
};

}  // namespace

TEST_CASE("a table of rows and columns shows values, ratios, and what has none") {
  const Bench bench;
  TableOptions options{"size", "design", {"cycles"}, {}, {}, {}, "csv"};
  CHECK(table_text(bench.sweep, bench.rows, options) == "size,tc,virgo\n64,1000,500\n128,8000,hang\n");
  options.ratio_to = "tc";
  CHECK(table_text(bench.sweep, bench.rows, options) == "size,tc,virgo\n64,1.000,0.500\n128,1.000,hang\n");
  options.format = "markdown";
  options.where = "size == 64";
  CHECK(table_text(bench.sweep, bench.rows, options) ==
        "| size | tc | virgo |\n| --- | ---: | ---: |\n| 64 | 1.000 | 0.500 |\n");
}

TEST_CASE("several points in one cell are refused with a condition that chooses one") {
  Bench bench;
  Axis cores;
  cores.name = "cores";
  bench.sweep.axes.push_back(cores);
  bench.rows.columns.emplace_back("cores");
  for (std::size_t i = 0; i < 4; ++i) bench.rows.rows[i].emplace_back(1.0);
  bench.rows.rows.push_back(bench.rows.rows[0]);
  bench.rows.rows.back().back() = 2.0;
  CHECK_THROWS_WITH(table_text(bench.sweep, bench.rows, {"size", "design", {"cycles"}, {}, {}, {}, "text"}),
                    Contains("they differ in cores; --where 'cores == 2' chooses one"));
}

TEST_CASE("a list of points has ratios to the baseline") {
  Bench bench;
  bench.sweep.baseline = {{"design", "tc"}};
  CHECK(
      table_text(bench.sweep, bench.rows, {{}, {}, {"cycles"}, {}, {}, "-cycles", "csv"}) ==
      "point,design,size,state,cycles,cycles ratio,reason\n1,tc,128,ok,8000,1.000,\n0,tc,64,ok,1000,1.000,\n"
      "2,virgo,64,ok,500,0.500,\n3,virgo,128,hang,,,it waits\n");
  CHECK(footnote(bench.rows) == "4 points: 1 hang, 3 ok");
}

TEST_CASE("a table says which regions its points were timed over, unless all have the usual one") {
  Bench bench;
  bench.rows.columns.emplace_back("window");
  for (auto& row : bench.rows.rows) row.push_back(Bench::word("results"));
  CHECK(footnote(bench.rows) == "4 points: 1 hang, 3 ok");
  bench.rows.rows[2].back() = Bench::word("commands");
  bench.rows.rows[3].back() = kNothing;  // it did not finish
  const std::string text = footnote(bench.rows);
  CHECK_THAT(text,
             Contains("timed region of 1 points: commands, from the configuration of loads and stores"));
  CHECK_THAT(text, Contains("timed region of 2 points: results, from the first load to the moment"));
  CHECK_THAT(text, Contains("results of different regions do not compare"));
  for (auto& row : bench.rows.rows) row.back() = Bench::word("commands");
  CHECK_THAT(footnote(bench.rows),
             Contains("timed region of 4 points: commands") && !Contains("do not compare"));
}

TEST_CASE("the front is that of a comparison of all with all, with ties and values that are none") {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    Rows rows{{"state", "a", "b", "c"}, {}};
    const auto count = static_cast<unsigned>(random() % 40);
    for (unsigned i = 0; i < count; ++i) {
      std::vector<spica::config::Operand> row{std::string(random() % 10 == 0 ? "fault" : "ok")};
      for (int k = 0; k < 3; ++k)
        row.push_back(random() % 15 == 0 ? spica::config::Operand()
                                         : spica::config::Operand(double(random() % 6)));
      rows.rows.push_back(row);
    }
    const std::vector<Objective> objectives{{"a", false}, {"b", true}, {"c", false}};
    const Front front = pareto_front(rows, objectives, {}, 0);
    const auto cost = [&](std::size_t row, std::size_t k) {
      return (objectives[k].maximise ? -1 : 1) * number_of(rows.rows[row][k + 1]);
    };
    const auto counts = [&](std::size_t row) {
      bool complete = text_of(rows.rows[row][0]) == "ok";
      for (std::size_t k = 0; k < 3; ++k) complete = complete && !std::isnan(cost(row, k));
      return complete;
    };
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      bool best = counts(i);
      for (std::size_t j = 0; best && j < rows.rows.size(); ++j) {
        if (!counts(j)) continue;
        bool as_good = true, better = false;
        for (std::size_t k = 0; k < 3; ++k) {
          as_good = as_good && cost(j, k) <= cost(i, k);
          better = better || cost(j, k) < cost(i, k);
        }
        best = !(as_good && better);
      }
      if (best) expected.push_back(i);
    }
    std::vector<std::size_t> found = front.rows;
    std::sort(found.begin(), found.end());
    REQUIRE(found == expected);
    CHECK(front.rows.size() + front.dominated + front.failed == rows.rows.size());
  }
}

TEST_CASE("points that miss a constraint are marked, not part of the front") {
  const Bench bench;
  std::vector<spica::config::Expression> constraints;
  constraints.emplace_back("cycles >= 600");
  const Front front = pareto_front(bench.rows, {{"cycles", false}}, constraints, 0);
  CHECK(front.rows == std::vector<std::size_t>{0});
  CHECK(front.outside_rows == std::vector<std::size_t>{2});
  CHECK(front.failed == 1);
}

TEST_CASE(
    "a comparison finds exactly the values that changed, the largest first, and points that came and went") {
  const Bench before;
  Bench after;
  after.rows.rows[0][5] = 1010.0;
  after.rows.rows[2][5] = 400.0;
  after.rows.rows.pop_back();
  const Comparison result = compare(before.sweep, before.rows, after.rows, 0);
  REQUIRE(result.differences.size() == 2);
  CHECK(result.differences[0].point == "design virgo, size 64");
  CHECK(result.differences[0].relative == Approx(-0.2));
  CHECK(result.differences[1].column == "cycles");
  CHECK(result.only_before == std::vector<std::string>{"design virgo, size 128"});
  CHECK(compare(before.sweep, before.rows, after.rows, 0.05).differences.size() == 1);
}
