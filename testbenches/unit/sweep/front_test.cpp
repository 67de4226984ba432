// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/front.h"

#include <algorithm>
#include <random>

#include "platform/studies/sweep/work.h"
#include "testbenches/support/catch.h"

using namespace spica::sweep;
using Catch::Contains;

namespace {

spica::config::Operand as_word(const char* text) { return std::string(text); }

Axis labelled_axis(const char* name, const char* key, const std::vector<const char*>& labels) {
  Axis result;
  result.name = name;
  result.keys = {key};
  for (const char* label : labels) result.values.push_back({label, {{key, label}}, 0, 0});
  return result;
}

/// Two machines and the layers of a network, of which it has 1 and 10.
struct TwoLayers {
  TwoLayers() {
    sweep.axes = {labelled_axis("machine", "cluster.cores", {"small", "large"}),
                  labelled_axis("layer", "size", {"head", "body"})};
    sweep.axes[1].layers = {"net"};
    sweep.axes[1].values[0].count = 1;
    sweep.axes[1].values[1].count = 10;
  }
  Sweep sweep;
  // The small machine is better at the head, the large one at the body and for the network.
  Rows rows{{"point", "machine", "layer", "state", "reason", "cycles", "total_energy_uj", "rms_error",
             "pj_per_mac", "multiply_adds", "utilisation", "area_mm2", "limiter"},
            {{0.0,
              as_word("small"),
              as_word("head"),
              as_word("ok"),
              {},
              100.0,
              5.0,
              0.1,
              5.0,
              1e6,
              0.5,
              2.0,
              as_word("dram")},
             {1.0,
              as_word("small"),
              as_word("body"),
              as_word("ok"),
              {},
              300.0,
              9.0,
              0.3,
              4.5,
              2e6,
              0.25,
              2.0,
              as_word("dram")},
             {2.0,
              as_word("large"),
              as_word("head"),
              as_word("ok"),
              {},
              110.0,
              6.0,
              0.1,
              6.0,
              1e6,
              0.5,
              3.0,
              as_word("l2")},
             {3.0,
              as_word("large"),
              as_word("body"),
              as_word("ok"),
              {},
              200.0,
              8.0,
              0.2,
              4.0,
              2e6,
              0.5,
              3.0,
              as_word("l2")}}};
};

double number_at(const Rows& rows, std::size_t row, const char* column) {
  return number_of(rows.rows[row][rows.column(column)]);
}

}  // namespace

TEST_CASE("axes that change the work are known, by their keys or as the file says") {
  Sweep sweep;
  sweep.axes = {labelled_axis("design", "design", {"a", "b"}), labelled_axis("m", "size", {"1x1x1"}),
                labelled_axis("b", "batch", {"1", "2"}), labelled_axis("format", "format", {"fp16"}),
                labelled_axis("l2", "l2.size_bytes", {"1"})};
  CHECK(names_of_work(sweep) == std::vector<std::string>{"m", "b"});
  sweep.work = {"format"};
  CHECK(names_of_work(sweep) == std::vector<std::string>{"format"});
  sweep.work.reset();
  sweep.job = &spica::workloads::kind("attention");
  sweep.axes = {labelled_axis("s", "sequence", {"128"}), labelled_axis("e", "element", {"fp16"}),
                labelled_axis("h", "heads", {"1"})};
  CHECK(names_of_work(sweep) == std::vector<std::string>{"s", "h"});
  sweep.job = &spica::workloads::kind("run");
  sweep.axes = {labelled_axis("elf", "elf", {"a"}), labelled_axis("n", "argument/n=", {"16"}),
                labelled_axis("warps", "cluster.core.warps", {"4"})};
  CHECK(names_of_work(sweep) == std::vector<std::string>{"n"});
}

TEST_CASE("points are compared with those of the same work, multiply-adds and timed region") {
  Sweep sweep;
  sweep.axes = {labelled_axis("design", "design", {"a", "b", "c"}),
                labelled_axis("size", "size", {"64", "128"})};
  Rows rows{{"point", "design", "size", "state", "cycles", "multiply_adds", "window"}, {}};
  double point = 0;
  for (const char* design : {"a", "b", "c"})
    for (const char* size : {"64", "128"})
      rows.rows.push_back({point++, as_word(design), as_word(size), as_word("ok"), 100 * point,
                           size == std::string("64") ? 1.0 : 8.0, as_word("results")});
  std::vector<WorkGroup> groups = groups_of(sweep, rows, Over::kEach);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "size 64");
  CHECK(groups[1].numbers == std::vector<std::size_t>{1, 3, 5});
  // The larger product is on the front, though it takes longer than each of the smaller ones.
  CHECK(pareto_front(rows, groups[1].numbers, {{"cycles", false}}, {}, 0).rows ==
        std::vector<std::size_t>{1});

  rows.rows[3][6] = as_word("commands");
  rows.rows[0][5] = 2.0;      // a design that computes another product when no size is given
  rows.rows[4][5] = spica::config::Operand();  // no result
  groups = groups_of(sweep, rows, Over::kEach);
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].name == "size 64, 2 multiply-adds");
  CHECK(groups[0].numbers == std::vector<std::size_t>{0, 4});
  CHECK(groups[2].name == "size 128, timed region results");
  CHECK(groups[3].name == "size 128, timed region commands");
  CHECK(groups[3].numbers == std::vector<std::size_t>{3});
}

TEST_CASE("of the layers of a network the front is that of all of its products") {
  const TwoLayers network;
  REQUIRE(usual_over(network.sweep) == Over::kTotal);
  const std::vector<std::string> columns{"cycles",        "total_energy_uj", "rms_error", "pj_per_mac",
                                         "multiply_adds", "utilisation",     "area_mm2"};
  const Rows totals = totals_of(network.sweep, network.rows, columns);
  REQUIRE(totals.rows.size() == 2);
  CHECK(number_at(totals, 0, "cycles") == 100 + 10 * 300);
  CHECK(number_at(totals, 1, "total_energy_uj") == 6 + 10 * 8);
  CHECK(number_at(totals, 0, "rms_error") == 0.3);
  CHECK(number_at(totals, 0, "pj_per_mac") == Approx((5e6 + 10 * 9e6) / 21e6));
  CHECK(number_at(totals, 0, "utilisation") == Approx((100 * 0.5 + 3000 * 0.25) / 3100));
  CHECK(number_at(totals, 1, "area_mm2") == 3);
  CHECK(text_of(totals.rows[0][totals.column("layer")]) == "all 2");
  const std::vector<Objective> objectives{{"total_energy_uj", false}, {"cycles", false}};
  const auto groups = groups_of(network.sweep, totals, Over::kTotal);
  REQUIRE(groups.size() == 1);
  CHECK(pareto_front(totals, groups[0].numbers, objectives, {}, 0).rows == std::vector<std::size_t>{1});
  // Without regard to the work the smallest layer would be all of the front.
  CHECK(pareto_front(network.rows, objectives, {}, 0).rows == std::vector<std::size_t>{0});
  CHECK_THAT(total_text(network.sweep), Contains("all 11 products of net"));

  CHECK_THROWS_WITH(totals_of(network.sweep, network.rows, {"limiter"}),
                    Contains("limiter: no rule combines the values"));
  Rows less = network.rows;
  less.columns[9] = "other";
  CHECK_THROWS_WITH(totals_of(network.sweep, less, {"pj_per_mac"}),
                    Contains("is computed from multiply_adds; add it to keep"));
  TwoLayers other;
  Sweep& plain = other.sweep;
  plain.axes[1].layers.clear();
  CHECK(usual_over(plain) == Over::kEach);
  CHECK_THROWS_WITH(totals_of(plain, network.rows, columns),
                    Contains("does not have exactly one axis with layers:"));
}

TEST_CASE("a machine without a result for a layer has none for the network") {
  TwoLayers network;
  network.rows.rows[1][3] = as_word("hang");
  network.rows.rows.pop_back();
  const Rows totals = totals_of(network.sweep, network.rows, {"cycles"});
  CHECK(text_of(totals.rows[0][totals.column("state")]) == "hang");
  CHECK(text_of(totals.rows[0][totals.column("reason")]) == "layer body");
  CHECK(text_of(totals.rows[1][totals.column("state")]) == "missing");
  CHECK(pareto_front(totals, {{"cycles", false}}, {}, 0).failed == 2);
}

TEST_CASE(
    "points of one table are told apart by the ends of their intervals, those of two by whether these overlap") {
  Rows rows{{"point", "state", "cycles", "e", "e_low", "e_high", "energy_table"},
            {{0.0, as_word("ok"), 100.0, 9.0, 5.0, 14.0, as_word("t")},
             {1.0, as_word("ok"), 90.0, 9.5, 4.9, 15.0, as_word("t")},      // lower at the low end
             {2.0, as_word("ok"), 80.0, 11.0, 6.0, 16.0, as_word("t")},  // above all of them at each end
             {3.0, as_word("ok"), 120.0, 9.2, 4.8, 15.5, as_word("t")},  // worse, but perhaps not
             {4.0, as_word("ok"), 120.0, 12.0, 7.0, 17.0, as_word("t")}}};  // worse at each end
  const std::vector<Objective> objectives{{"e", false}, {"cycles", false}};
  Front front = pareto_front(rows, objectives, {}, 0);
  REQUIRE(front.rows == std::vector<std::size_t>{0, 1, 2});
  CHECK(front.has_intervals);
  CHECK(front.not_apart[0] == std::vector<std::size_t>{1});
  CHECK(front.not_apart[1] == std::vector<std::size_t>{0});
  CHECK(front.not_apart[2].empty());
  CHECK(front.dominated == 2);
  CHECK(front.open == 1);
  // With a table of its own its error is its own.
  rows.rows[2][6] = as_word("other");
  front = pareto_front(rows, objectives, {}, 0);
  CHECK(front.not_apart[2] == std::vector<std::size_t>{0, 1});
  rows.rows[2][4] = 16.5;
  rows.rows[2][3] = 17.0;
  rows.rows[2][5] = 18.0;
  CHECK(pareto_front(rows, objectives, {}, 0).not_apart[2].empty());
  // Without ends nothing is open.
  rows.columns[4] = "low";
  front = pareto_front(rows, objectives, {}, 0);
  CHECK(!front.has_intervals);
  CHECK(front.open == 0);
}

TEST_CASE("what intervals leave open is what a comparison of all with all finds") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Rows rows{{"state", "a", "e", "e_low", "e_high"}, {}};
    for (unsigned i = 0; i < random() % 25; ++i) {
      const auto below = [&](unsigned end) { return static_cast<double>(random() % end); };
      const double low = below(6), nominal = low + below(3);
      rows.rows.push_back({as_word("ok"), below(5), nominal, low, nominal + below(3)});
    }
    const Front front = pareto_front(rows, {{"a", false}, {"e", true}}, {}, 0);
    const auto at = [&](std::size_t row, std::size_t column) { return number_of(rows.rows[row][column]); };
    const auto better = [&](std::size_t i, std::size_t j) {
      return at(i, 2) > at(j, 2) && at(i, 3) > at(j, 3) && at(i, 4) > at(j, 4);
    };
    const auto same = [&](std::size_t i, std::size_t j) {
      return at(i, 2) == at(j, 2) && at(i, 3) == at(j, 3) && at(i, 4) == at(j, 4);
    };
    for (std::size_t i = 0; i < front.rows.size(); ++i) {
      std::vector<std::size_t> expected;
      for (const std::size_t other : front.rows)
        if (other != front.rows[i] && !better(other, front.rows[i]) && !better(front.rows[i], other) &&
            !same(other, front.rows[i]))
          expected.push_back(other);
      REQUIRE(front.not_apart[i] == expected);
    }
    std::size_t open = 0;
    for (std::size_t row = 0; row < rows.rows.size(); ++row) {
      if (std::find(front.rows.begin(), front.rows.end(), row) != front.rows.end()) continue;
      open += std::none_of(front.rows.begin(), front.rows.end(), [&](std::size_t best) {
        const bool energy = better(best, row), cycles = at(best, 1) < at(row, 1);
        return (energy || same(best, row)) && at(best, 1) <= at(row, 1) && (energy || cycles);
      });
    }
    CHECK(front.open == open);
  }
}
