// SPDX-License-Identifier: Apache-2.0
// The entries of an energy table.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/area.h"
#include "models/base/params.h"
#include "models/power/interval.h"
#include "models/power/size.h"
#include "models/power/table_entry.h"

namespace spica::power {

enum class EnergyUnit : std::uint8_t { kFemtojoule, kPicojoule, kNanojoule };
inline constexpr base::Choices kEnergyUnits{base::Choice<EnergyUnit>{"fJ", EnergyUnit::kFemtojoule},
                                            base::Choice<EnergyUnit>{"pJ", EnergyUnit::kPicojoule},
                                            base::Choice<EnergyUnit>{"nJ", EnergyUnit::kNanojoule}};

/// One entry: the energy of an event, its uncertainty, and the source.
struct Coefficient {
  double low = 0, nominal = 0, high = 0;
  EnergyUnit unit = EnergyUnit::kPicojoule;
  bool calibrated = false;
  bool doubtful = false;
  std::string prior;
  std::string law, memory, crossbar, at;
  std::string source;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    describe_interval(p, field, "unit", base::Range{0, 1e9});
    field("unit", p.unit, kEnergyUnits, "unit of the three values");
    field("calibrated", p.calibrated, "the nominal value is multiplied by calibration.instruction_overhead");
    field("doubtful", p.doubtful,
          "the source does not give these values itself: estimated from it, or split");
    field("prior", p.prior,
          "entries with the same word here are uncertain together, a sensitivity moves them at once");
    field("law", p.law, "name of the law of `laws` that the energy follows; empty: it depends on no size");
    field("memory", p.memory, "part of the block (spica area --parts) whose bits and width the law reads");
    field("crossbar", p.crossbar, "part of the block whose inputs and outputs the law reads");
    field("at", p.at, "sizes that the three values hold for: \"bits 131072, ways 4\"");
    field("source", p.source, "where the values come from: title, year, table or figure");
  }
  template <class Report>
  static void check(const Coefficient& p, Report&& contradiction) {
    check_interval(p, contradiction);
    if (!parse_sizes(p.at))
      contradiction({"at"}, "is not a list of sizes, each with a positive number; sizes: " + size_names());
  }
};

/// Power of an idle block in mW: its clock tree, and leakage.
struct IdlePower {
  struct Term {
    double low = 0, nominal = 0, high = 0;
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      describe_interval(p, field, "mW", base::Range{0, 1e6});
    }
    template <class Report>
    static void check(const Term& p, Report&& contradiction) {
      check_interval(p, contradiction);
    }
  };
  /// The sizes of the block for which the powers hold; 0: they hold for every size.
  struct At {
    double area = 0, bits = 0;
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      field("area", p.area, "um2", base::Range{0, 1e15}, "area, each structure times idle_law.leakage");
      field("bits", p.bits, "bits", base::Range{0, 1e15},
            "clocked bits: amounts of structures times idle_law.clock");
    }
  };
  Term clock, leakage;
  At at;
  bool doubtful = false;
  std::string source;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.group("clock", p.clock, "clock tree and registers, at the table's voltage and frequency");
    field.group("leakage", p.leakage, "leakage, at the table's voltage");
    field.group("at", p.at, "reference size of the powers: leakage follows the area, the clock the bits");
    field("doubtful", p.doubtful,
          "the source does not give these values itself: estimated from it, or there is none");
    field("source", p.source, "where the values come from: title, year, table or figure");
  }
};

/// The weight of each structure in the idle power of a block.
struct IdleLaw {
  struct Weights {
    std::array<double, base::kStructures.size()> values{};
    double of(const base::AreaTerm& term) const { return values[base::index_of(term.structure)]; }
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      for (std::size_t i = 0; i < base::kStructures.size(); ++i)
        field(base::kStructures[i].name, p.values[i], "", base::Range{0, 1e6}, base::kStructures[i].doc);
    }
  };
  Weights leakage, clock;
  std::string source;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.group("leakage", p.leakage,
                "leakage of an area of a structure, to that of the same area of a memory");
    field.group("clock", p.clock,
                "bits of flip-flops whose clock takes what that of one of the structure does");
    field("source", p.source, "where the weights come from");
  }
};

/// The highest clock of the chip by voltage, and the valid voltages of the table.
struct HighestClock {
  double mhz = 0;  // 0: unknown
  double threshold = 0.35, exponent = 1.3;
  double lowest_voltage = 0.1, highest_voltage = 5;
  std::string source;
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("mhz", p.mhz, "MHz", Range{0, 100000},
          "highest clock at the table's voltage; 0: every clock and voltage is taken");
    field("threshold", p.threshold, "V", Range{0, 2}, "voltage at which the clock would be 0");
    field("exponent", p.exponent, "", Range{0.5, 3}, "clock ~ (voltage - threshold)^exponent / voltage");
    field("lowest_voltage", p.lowest_voltage, "V", Range{0.1, 5}, "lowest voltage the table holds for");
    field("highest_voltage", p.highest_voltage, "V", Range{0.1, 5}, "highest voltage the table holds for");
    field("source", p.source, "where the values come from");
  }
};

/// Low, nominal and high value of a factor.
struct FactorEntry {
  double low = 1, nominal = 1, high = 1;
  Interval interval() const { return {low, nominal, high}; }
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    describe_interval(p, field, "", base::Range{0, 1000});
  }
  template <class Report>
  static void check(const FactorEntry& p, Report&& contradiction) {
    check_interval(p, contradiction);
  }
};

/// Idle clock power with another clock gating, relative to that of the table.
struct GatingFactors {
  FactorEntry none, block, fine;
  std::string source;
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.group("none", p.none, "clocks never stop");
    field.group("block", p.block, "the clock of a block stops while it has nothing to do");
    field.group("fine", p.fine, "and that of each group of registers that keeps its value");
    field("source", p.source, "where the factors come from");
  }
};

}  // namespace spica::power
