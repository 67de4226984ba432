// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/params.h"
#include "models/power/energy_entries.h"
#include "models/power/event.h"
#include "models/power/interval.h"
#include "models/power/law.h"

namespace spica::power {

/// Energies of one technology at one voltage: an entry for each kind of event, and for each type of block with idle
/// power. The list of events determines the entries.
class EnergyTable {
 public:
  EnergyTable();
  EnergyTable(const EnergyTable&) = delete;
  EnergyTable& operator=(const EnergyTable&) = delete;

  double technology_nm = 16;
  double voltage = 0.8;
  double clock_mhz = 400;
  double technology_exponent = 1, technology_exponent_error = 0;
  double leakage_exponent = 3;
  double instruction_overhead = 1;  // the calibrated factor
  std::string calibration_note, technology_source;
  std::string machine;  // kind of machine for which the values were chosen
  std::vector<Law> laws;
  IdleLaw idle_law;
  GatingFactors clock_gating;
  HighestClock highest_clock;

  /// Replaces names in brackets by their texts in all sources: "[horowitz]: 32-bit add".
  void expand_sources(const std::map<std::string, std::string, std::less<>>& texts);

  /// By index in event_kinds() and idle_kinds().
  const Coefficient& event(std::size_t kind) const { return *events_[kind]; }
  const IdlePower& idle(std::size_t kind) const { return idle_.entries[kind]; }

  /// pJ per event at the sizes of its entry, multiplied by the calibrated factor.
  Interval picojoule(std::size_t kind) const;
  /// The law of an event; nullptr: none.
  const Law* law(std::size_t kind) const;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("machine", p.machine, "kind of machine that the energies were chosen for; in every result");
    field("technology_nm", p.technology_nm, "nm", Range{1, 250}, "technology the energies hold for");
    field("voltage", p.voltage, "V", Range{0.1, 5}, "supply voltage they hold for");
    field("clock_mhz", p.clock_mhz, "MHz", Range{1, 10000}, "frequency the clock powers hold for");
    field("technology_exponent", p.technology_exponent, "", Range{0, 4},
          "energies of another technology: times (technology / technology_nm) to this power");
    field("technology_exponent_error", p.technology_exponent_error, "", Range{0, 4},
          "uncertainty of the exponent, in both directions");
    field("technology_source", p.technology_source, "where the exponent comes from");
    field("leakage_exponent", p.leakage_exponent, "", Range{0, 10},
          "leakage at another voltage: times (voltage ratio) to this power");
    field.list("laws", p.laws, "how energies follow sizes, by the kind of structure");
    field.group("events", p.groups_, "an energy for each kind of event");
    field.group("idle_law", p.idle_law, "how idle power follows what a block is made of");
    field.group("highest_clock", p.highest_clock, "voltages and clocks the table holds for");
    field.group("clock_gating", p.clock_gating, "idle clock power by power.clock_gating");
    field.group("idle", p.idle_, "power of the idle blocks");
    field.group("calibration", p.calibration_, "the one scalar that was calibrated");  // checks the events
  }
  template <class Report>
  static void check(const EnergyTable& p, Report&& contradiction) {
    for (std::size_t kind = 0; kind < event_kinds().size(); ++kind)
      if (const std::string problem = p.problem_of(kind); !problem.empty())
        contradiction({"events." + std::string(event_kinds()[kind].name) + ".law"}, problem);
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
    /// A calibrated factor outside its prior range is not a calibration.
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
  /// The events with a common first part of their names: "core.".
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

  /// The error in the law of an entry; empty: none.
  std::string problem_of(std::size_t kind) const;

  Calibration calibration_;
  Groups groups_;
  Idle idle_;
  std::vector<const Coefficient*> events_;
};

}  // namespace spica::power
