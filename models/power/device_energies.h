// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/params.h"
#include "models/power/event.h"
#include "models/power/interval.h"
#include "models/power/table_entry.h"

namespace spica::power {

/// The energies of an off-chip device, which replace those of the energy table: an entry for each event off the chip.
class DeviceEnergies {
 public:
  struct Entry {
    double low = 0, nominal = 0, high = 0;
    Interval interval() const { return {low, nominal, high}; }
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      describe_interval(p, field, "", base::Range{0, 1e9});
    }
    template <class Report>
    static void check(const Entry& p, Report&& contradiction) {
      check_interval(p, contradiction);
    }
  };

  DeviceEnergies() {
    for (std::size_t kind = 0; kind < event_kinds().size(); ++kind)
      if (off_chip(event_kinds()[kind])) entries_.emplace_back(kind, Entry{});
  }

  Entry io;  // pJ per byte, in addition to the event's own
  Entry standby;  // mW per channel
  bool doubtful = false;
  std::string source;

  const std::vector<std::pair<std::size_t, Entry>>& entries() const { return entries_; }
  /// pJ of an event off the chip, by index in event_kinds().
  Interval picojoule(std::size_t kind) const {
    Interval sum;
    for (const auto& [known, entry] : entries_)
      if (known == kind) sum = entry.interval();
    if (event_kinds()[kind].unit == "byte") sum += io.interval();
    return sum;
  }

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    for (auto& [kind, entry] : p.entries_) {
      const EventKind& event = event_kinds()[kind];
      field.group(event.name.substr(event.name.find('.') + 1), entry, event.doc);
    }
    field.group("io", p.io, "pJ per byte on the wires between device and chip");
    field.group("standby", p.standby, "mW of a channel, all of its devices, whatever happens");
    field("doubtful", p.doubtful, "the source does not give all of these values itself: estimated from it");
    field("source", p.source, "where the values come from");
  }

 private:
  std::vector<std::pair<std::size_t, Entry>> entries_;  // by index in event_kinds(), in pJ
};

}  // namespace spica::power
