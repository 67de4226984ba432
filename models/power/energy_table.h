// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/power/event.h"
#include "models/power/interval.h"
#include "models/power/table_entry.h"

namespace spica::power {

enum class EnergyUnit : std::uint8_t { kFemtojoule, kPicojoule, kNanojoule };
inline constexpr base::Choices kEnergyUnits{base::Choice<EnergyUnit>{"fJ", EnergyUnit::kFemtojoule},
                                            base::Choice<EnergyUnit>{"pJ", EnergyUnit::kPicojoule},
                                            base::Choice<EnergyUnit>{"nJ", EnergyUnit::kNanojoule}};

/// One entry: what an event costs, how sure that is, and who says so.
struct Coefficient {
  double low = 0, nominal = 0, high = 0;
  EnergyUnit unit = EnergyUnit::kPicojoule;
  bool calibrated = false;
  bool doubtful = false;
  std::string prior;
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
    field("source", p.source, "where the values come from: title, year, table or figure");
  }
  template <class Report>
  static void check(const Coefficient& p, Report&& contradiction) {
    check_interval(p, contradiction);
  }
};

/// Power of a block in which nothing happens, in mW: its clock tree, and leakage.
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
  Term clock, leakage;
  bool doubtful = false;
  std::string source;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.group("clock", p.clock, "clock tree and registers, at the table's voltage and frequency");
    field.group("leakage", p.leakage, "leakage, at the table's voltage");
    field("doubtful", p.doubtful,
          "the source does not give these values itself: estimated from it, or there is none");
    field("source", p.source, "where the values come from: title, year, table or figure");
  }
};

/// Energies of one technology at one voltage: an entry for each kind of event, and for each type of block
/// that idles. Which entries there are follows from the list of events.
class EnergyTable {
 public:
  EnergyTable();
  EnergyTable(const EnergyTable&) = delete;
  EnergyTable& operator=(const EnergyTable&) = delete;

  double technology_nm = 16;
  double voltage = 0.8;
  double clock_mhz = 400;
  double technology_exponent = 1;
  double leakage_exponent = 3;
  double instruction_overhead = 1;  // the one calibrated scalar
  std::string calibration_note, technology_source;

  /// By index in event_kinds() and idle_kinds().
  const Coefficient& event(std::size_t kind) const { return *events_[kind]; }
  const IdlePower& idle(std::size_t kind) const { return idle_.entries[kind]; }

  /// pJ per event, the calibrated scalar applied.
  Interval picojoule(std::size_t kind) const;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("technology_nm", p.technology_nm, "nm", Range{1, 250}, "technology the energies hold for");
    field("voltage", p.voltage, "V", Range{0.1, 5}, "supply voltage they hold for");
    field("clock_mhz", p.clock_mhz, "MHz", Range{1, 10000}, "frequency the clock powers hold for");
    field("technology_exponent", p.technology_exponent, "", Range{0, 4},
          "energies of another technology: times (technology / technology_nm) to this power");
    field("technology_source", p.technology_source, "where the exponent comes from");
    field("leakage_exponent", p.leakage_exponent, "", Range{0, 10},
          "leakage at another voltage: times (voltage ratio) to this power");
    field.group("events", p.groups_, "an energy for each kind of event");
    field.group("idle", p.idle_, "power of the idle blocks");
    field.group("calibration", p.calibration_, "the one scalar that was calibrated");  // checks the events
  }

 private:
  struct Calibration {
    EnergyTable* table = nullptr;
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      field("instruction_overhead", p.table->instruction_overhead, "", base::Range{0, 100},
            "multiplies the nominal value of the entries that say calibrated");
      field("note", p.table->calibration_note, "when, with what and to what it was calibrated");
    }
    /// A factor that leaves the priors is no calibration.
    template <class Report>
    static void check(const Calibration& p, Report&& contradiction) {
      for (std::size_t kind = 0; kind < event_kinds().size(); ++kind) {
        const Coefficient& entry = p.table->event(kind);
        const double nominal = entry.nominal * p.table->instruction_overhead;
        if (entry.calibrated && (nominal < entry.low || nominal > entry.high))
          return contradiction({"instruction_overhead"}, "moves the nominal value of " +
                                                             std::string(event_kinds()[kind].name) +
                                                             " out of its low ... high");
      }
    }
  };
  /// The events whose names begin alike: "core.".
  struct Group {
    std::string name;
    std::vector<std::pair<std::size_t, Coefficient>> entries;  // by index in event_kinds()
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      for (auto& [kind, entry] : p.entries) {
        const EventKind& event = event_kinds()[kind];
        field.group(event.name.substr(p.name.size() + 1), entry, event.doc);
      }
    }
  };
  struct Groups {
    std::vector<Group> all;
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      for (auto& group : p.all) field.group(group.name, group, "");
    }
  };
  struct Idle {
    std::vector<IdlePower> entries;  // by index in idle_kinds()
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      for (std::size_t i = 0; i < p.entries.size(); ++i)
        field.group(idle_kinds()[i].type->name, p.entries[i], idle_kinds()[i].doc);
    }
  };

  Calibration calibration_;
  Groups groups_;
  Idle idle_;
  std::vector<const Coefficient*> events_;
};

}  // namespace spica::power
