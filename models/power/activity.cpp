// SPDX-License-Identifier: Apache-2.0
#include "models/power/activity.h"

#include <algorithm>
#include <stdexcept>

namespace spica::power {

namespace {

double weight_of(const Block& block, const EventKind& kind, const base::EventSource& source) {
  if (source.weight.empty()) return source.times;
  for (const auto& [name, value] : block.properties)
    if (name == source.weight) return source.times * value;
  throw std::logic_error(block.name + " has no property '" + std::string(source.weight) +
                         "', which the event " + std::string(kind.name) + " needs");
}

}  // namespace

Activity::Activity(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  const std::vector<EventKind>& kinds = event_kinds();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    bool known = block.type->events.empty();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k].type != block.type) continue;
      known = true;
      std::vector<Term> terms;
      for (const base::EventSource& source : kinds[k].sources) {
        const double factor = weight_of(block, kinds[k], source);
        bool found = source.name.find('*') != std::string_view::npos;
        for (const base::StatGroup::Entry& entry : block.stats->counters()) {
          if (!base::matches(source.name, entry.name)) continue;
          terms.push_back({&entry.counter, factor});
          found = true;
        }
        if (!found)
          throw std::logic_error(block.name + " has no counter '" + std::string(source.name) +
                                 "', which the event " + std::string(kinds[k].name) + " needs");
      }
      channels_.push_back({k, b});
      terms_.push_back(std::move(terms));
    }
    if (!known)
      throw std::logic_error(block.name + ": the type '" + std::string(block.type->name) +
                             "' was registered after the list of events was made");
  }
}

std::vector<double> Activity::counts() const {
  std::vector<double> result(channels_.size(), 0);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    for (const Term& term : terms_[i]) result[i] += term.factor * static_cast<double>(term.counter->value());
  return result;
}

std::vector<double> Activity::by_kind(const std::vector<double>& counts) const {
  std::vector<double> result(event_kinds().size(), 0);
  for (std::size_t i = 0; i < channels_.size(); ++i) result[channels_[i].kind] += counts[i];
  return result;
}

double Activity::line_weight(std::size_t kind) const {
  const EventKind& event = event_kinds()[kind];
  for (const Block& block : blocks_)
    if (block.type == event.type) return weight_of(block, event, event.line);
  return 0;
}

}  // namespace spica::power
