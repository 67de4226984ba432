// SPDX-License-Identifier: Apache-2.0
// Ratios worked out by hand.
#include "platform/observe/report/sensitivity.h"

#include <nlohmann/json.hpp>

#include "testbenches/support/catch.h"

using namespace spica;
using report::EnergyKind;
using report::sensitivity;

namespace {

json::Value interval(double low, double nominal, double high) {
  return {{"low", low}, {"nominal", nominal}, {"high", high}};
}

/// `count` events at 1 / 2 / 4 pJ, in units so that the energies are count, 2 count and 4 count.
json::Value event(const char* name, double count, bool calibrated = false, bool off_chip = false) {
  return {{"event", name},
          {"calibrated", calibrated},
          {"off_chip", off_chip},
          {"doubtful", off_chip},
          {"per_event_pj", interval(1, 2, 4)},
          {"active_uj", interval(count, 2 * count, 4 * count)}};
}

/// One millisecond, with blocks that idle at 1 / 2 / 3 mW together.
json::Value energy(const json::Value& events, unsigned blocks = 1) {
  return {{"table", {{"name", "t"}, {"instruction_overhead", 2}}},
          {"window", {{"seconds", 1e-3}}},
          {"events", events},
          {"idle", {{{"block", "l2"}, {"term", "clock"}, {"blocks", blocks}, {"mw", interval(1, 2, 3)}}}}};
}

const report::Influence* find(const report::Sensitivity& found, const std::string& name) {
  for (const report::Influence& one : found.influences)
    if (one.coefficient == name) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("an entry moves the ratio by what both runs have of it") {
  // 2 * 10 + 2 * 5 + 2 * 1 = 32 of 2 * 40 + 2 * 15 + 2 * 8 = 126
  const auto run = energy({event("a", 10), event("b", 5), event("c", 1)});
  const auto base = energy({event("a", 40), event("b", 15), event("c", 8)});
  const auto found = sensitivity(run, base, EnergyKind::kActive);
  REQUIRE(found);
  CHECK(found->ratio == Approx(32.0 / 126));
  REQUIRE(found->influences.size() == 3);
  const report::Influence& a = *find(*found, "a");
  CHECK(a.ratio_at_low == Approx((10 + 12.0) / (40 + 46)));
  CHECK(a.ratio_at_high == Approx((40 + 12.0) / (160 + 46)));
  CHECK(a.swing() == Approx(22.0 / 86 - 52.0 / 206));
  CHECK(a.stated);
  CHECK((a.low == 1 && a.nominal == 2 && a.high == 4));
  CHECK(a.unit == "pJ");
  CHECK(find(*found, "b")->ratio_at_high == Approx((20 + 22.0) / (60 + 96)));
  CHECK(find(*found, "c")->ratio_at_high == Approx((4 + 30.0) / (32 + 110)));
  CHECK(found->influences[0].coefficient == "b");  // the strongest first
  CHECK(found->influences[1].coefficient == "c");
  CHECK(found->influences[2].coefficient == "a");
}

TEST_CASE("what is off the chip, and idle power, move the total only") {
  const auto run = energy({event("a", 10), event("dram", 1, false, true)}, 2);
  const auto base = energy({event("a", 20), event("dram", 9, false, true)}, 2);
  const auto active = sensitivity(run, base, EnergyKind::kActive);
  REQUIRE(active);
  CHECK(active->ratio == 0.5);
  CHECK(active->influences.empty());  // one entry alone moves nothing
  const auto total = sensitivity(run, base, EnergyKind::kTotal);
  REQUIRE(total);
  CHECK(total->ratio == Approx((20 + 2 + 2.0) / (40 + 18 + 2)));  // 2 mW for 1 ms
  const report::Influence& idle = *find(*total, "idle.l2.clock");
  CHECK(idle.ratio_at_high == Approx((20 + 2 + 3.0) / (40 + 18 + 3)));
  CHECK(idle.unit == "mW");
  CHECK(idle.nominal == 1);  // each of two blocks
  CHECK(find(*total, "dram")->doubtful);
}

TEST_CASE("calibrated entries move together, and an entry without a range 30 % either way") {
  auto flat = event("flat", 0);
  flat["per_event_pj"] = interval(7, 7, 7);
  flat["active_uj"] = interval(10, 10, 10);
  const auto run = energy({event("a", 10, true), event("b", 5, true), flat});
  flat["active_uj"] = interval(30, 30, 30);
  const auto base = energy({event("a", 20, true), event("b", 5, true), flat});
  const auto found = sensitivity(run, base, EnergyKind::kActive);
  REQUIRE(found);
  const report::Influence& overhead = *find(*found, "calibration.instruction_overhead");
  CHECK_FALSE(overhead.stated);
  CHECK((overhead.low == Approx(1.4) && overhead.nominal == 2 && overhead.high == Approx(2.6)));
  CHECK(overhead.ratio_at_low == Approx((0.7 * 30 + 10) / (0.7 * 50 + 30)));
  CHECK(overhead.ratio_at_high == Approx((1.3 * 30 + 10) / (1.3 * 50 + 30)));
  const report::Influence& without = *find(*found, "flat");
  CHECK_FALSE(without.stated);
  CHECK(without.ratio_at_low == Approx((30 + 7.0) / (50 + 21)));
  CHECK(report::sensitivity_json(*found)[0]["range"].is_string());
}

TEST_CASE("entries of one prior also move together, each by its own range") {
  const auto table = [](double a, double b) {
    auto x = event("a", a), y = event("b", b), z = event("c", 5), lonely = event("d", 1);
    x["prior"] = y["prior"] = "registers";
    lonely["prior"] = "alone";
    return energy({x, y, z, lonely});
  };
  const auto found = sensitivity(table(10, 20), table(30, 10), EnergyKind::kActive);
  REQUIRE(found);
  const report::Influence& both = *find(*found, "prior.registers");
  CHECK(both.entries == 2);
  CHECK(both.ratio_at_low == Approx((30 + 12.0) / (40 + 12)));
  CHECK(both.ratio_at_high == Approx((120 + 12.0) / (160 + 12)));
  CHECK(find(*found, "prior.alone") == nullptr);
  for (const json::Value& row : report::sensitivity_json(*found))
    CHECK(row["high"].is_null() == (row["coefficient"] == "prior.registers"));
}

TEST_CASE("runs with other tables, and documents that are none, are not compared") {
  const auto run = energy(json::Value::array({event("a", 10)}));
  auto other = run;
  other["table"]["name"] = "u";
  CHECK(sensitivity(run, run, EnergyKind::kActive));
  CHECK_FALSE(sensitivity(run, other, EnergyKind::kActive));
  CHECK_FALSE(sensitivity(run, nullptr, EnergyKind::kTotal));
  CHECK_FALSE(
      sensitivity(run, {{"window", 1}, {"table", 1}, {"events", 5}, {"idle", 5}}, EnergyKind::kTotal));
  other = run;
  other["events"] = {1, "x", nullptr, {{"event", 5}, {"active_uj", "no"}}};  // says nothing
  CHECK_FALSE(sensitivity(other, run, EnergyKind::kActive));
}
