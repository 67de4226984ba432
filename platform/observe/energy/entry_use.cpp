// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/entry_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace spica::energy {

namespace {

/// Less than this is far inside the interval of every entry.
constexpr double kNegligible = 0.02;

bool same(const power::Scaling& a, const power::Scaling& b) {
  return a.departures.size() == b.departures.size() && a.factor.low == b.factor.low &&
         a.factor.nominal == b.factor.nominal && a.factor.high == b.factor.high;
}

}  // namespace

std::vector<EntryUse> entry_uses(const power::Activity& activity, const power::EnergyModel& model) {
  std::vector<EntryUse> uses;
  for (std::size_t i = 0; i < activity.channels().size(); ++i) {
    const power::Activity::Channel& channel = activity.channels()[i];
    const auto known = std::find_if(uses.begin(), uses.end(), [&](const EntryUse& use) {
      return use.kind == channel.kind && same(use.scaling, model.scaling(i));
    });
    if (known != uses.end()) ++known->blocks;
    else
      uses.push_back(
          {channel.kind, activity.blocks()[channel.block].name, 1, model.of_channel(i), model.scaling(i)});
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const EntryUse& a, const EntryUse& b) { return a.kind < b.kind; });
  return uses;
}

std::string extrapolation_text(const power::Scaling& scaling) {
  std::vector<std::string> moves;
  for (const power::Departure& one : scaling.departures)
    if (!one.known)
      moves.push_back(fmt::format("from {} to {}", power::size_text(one.size, one.at),
                                  power::size_text(one.size, one.now)));
  if (moves.empty() || scaling.uncertainty() < kNegligible) return "";
  return fmt::format("{}, +-{:.0f} %", fmt::join(moves, ", "), std::ceil(100 * scaling.uncertainty()));
}

bool is_explained(const std::string& source) {
  return source.rfind("contained in ", 0) == 0 || source.rfind("not counted", 0) == 0;
}

std::vector<std::string> extrapolation_notes(const power::Activity& activity, const power::EnergyModel& model,
                                             const std::vector<double>& counts) {
  struct Extrapolation {
    std::string text;
    std::vector<std::string> events;
  };
  std::vector<Extrapolation> notes;
  for (std::size_t i = 0; i < activity.channels().size(); ++i) {
    if (!counts.empty() && counts[i] == 0) continue;
    const std::string text = extrapolation_text(model.scaling(i));
    if (text.empty()) continue;
    auto note = std::find_if(notes.begin(), notes.end(),
                             [&](const Extrapolation& known) { return known.text == text; });
    if (note == notes.end()) note = notes.insert(notes.end(), {text, {}});
    const std::string event(power::event_kinds()[activity.channels()[i].kind].name);
    if (std::find(note->events.begin(), note->events.end(), event) == note->events.end())
      note->events.push_back(event);
  }
  std::vector<std::string> sentences;
  for (const Extrapolation& note : notes)
    sentences.push_back(fmt::format("{}: extrapolated {}", fmt::join(note.events, ", "), note.text));
  return sentences;
}

}  // namespace spica::energy
