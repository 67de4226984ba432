// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/params.h"

namespace spica::power {

/// When the clocks of an idle machine stop.
enum class ClockGating : std::uint8_t { kNone, kBlock, kFine };
inline constexpr base::Choices kClockGatings{base::Choice<ClockGating>{"none", ClockGating::kNone},
                                             base::Choice<ClockGating>{"block", ClockGating::kBlock},
                                             base::Choice<ClockGating>{"fine", ClockGating::kFine}};

/// Which tables of energies and areas a machine is measured with, and at which operating point.
struct PowerParams {
  std::string table = "virgo-16nm";
  std::string area_table = "first-order-16nm";
  double technology_nm = 0;
  double voltage = 0;
  ClockGating clock_gating = ClockGating::kBlock;
  bool only_used = false;
  std::uint64_t window = 0;

  /// What programs see or rely on, besides timing (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {
      "table", "area_table", "technology_nm", "voltage", "clock_gating", "only_used", "window"};
  /// Neither better nor worse hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"technology_nm", "voltage", "window"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("table", p.table, "energy table: a file, or the name of one in configs/power/");
    field("area_table", p.area_table, "area table: a file, or the name of one in configs/area/");
    field("technology_nm", p.technology_nm, "nm", Range{0, 250},
          "energies and areas are scaled to this technology; 0: that of each table");
    field("voltage", p.voltage, "V", Range{0, 5},
          "energies are scaled to this supply voltage; 0: that of the table. The frequency is clock_mhz");
    field(
        "clock_gating", p.clock_gating, kClockGatings,
        "which clocks stop while a block has nothing to do: none, that of the block, or in fine groups of registers");
    field(
        "only_used", p.only_used,
        "idle power and area without units that did nothing in the whole run, such as the tensor cores of a design that "
        "computes on the matrix unit; needs the energy of the run");
    field("window", p.window, "cycles", Range{0, 1e12},
          "length of a step of power over time; 0: one hundredth of the run, rounded up to 100 cycles");
  }
};

}  // namespace spica::power
