// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/params.h"

namespace spica::power {

/// When the clocks of idle blocks stop.
enum class ClockGating : std::uint8_t { kNone, kBlock, kFine };
inline constexpr base::Choices kClockGatings{base::Choice<ClockGating>{"none", ClockGating::kNone},
                                             base::Choice<ClockGating>{"block", ClockGating::kBlock},
                                             base::Choice<ClockGating>{"fine", ClockGating::kFine}};

/// The tables of energies and areas for a machine, and its operating point.
struct PowerParams {
  std::string table = "virgo-16nm";
  std::string area_table = "first-order-16nm";
  double technology_nm = 0;
  double voltage = 0;
  ClockGating clock_gating = ClockGating::kBlock;
  bool only_used = false;
  std::uint64_t window = 0;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {
      "table", "area_table", "technology_nm", "voltage", "clock_gating", "only_used", "window"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"technology_nm", "voltage", "window"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("table", p.table, "energy table: a file, or the name of one in configs/power/");
    field("area_table", p.area_table, "area table: a file, or the name of one in configs/area/");
    field("technology_nm", p.technology_nm, "nm", Range{0, 250},
          "technology to which energies and areas are scaled; 0: technology of each table");
    field("voltage", p.voltage, "V", Range{0, 5},
          "supply voltage to which energies are scaled; 0: voltage of the table. The frequency is "
          "clock_mhz");
    field("clock_gating", p.clock_gating, kClockGatings,
          "clocks that stop while a block is idle: none, the clock of the block, or those of small "
          "groups of registers");
    field("only_used", p.only_used,
          "excludes idle power and area of units without activity in the whole run, such as unused "
          "tensor cores; needs the energy of the run");
    field("window", p.window, "cycles", Range{0, 1e12},
          "time step of power over time; 0: one hundredth of the run, rounded up to 100 cycles");
  }
};

}  // namespace spica::power
