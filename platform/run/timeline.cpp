// SPDX-License-Identifier: Apache-2.0
#include "platform/run/timeline.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "platform/machine/soc/measured_machine.h"

namespace spica::job {

using Json = json::Value;

Timeline::Timeline(soc::MeasuredMachine& soc, soc::Sampler& sampler)
    : period_(soc.machine().clock().period()),
      series_(sampler.add_counters([this](base::Cycle) { return look(); }, {kFirstWindow, kMostWindows})) {
  for (base::Component* component : soc.components()) {
    const base::BlockType& type = component->type();
    const std::string block = soc.short_name(*component) + ".";
    for (const base::CycleAccount& account : component->stats().accounts())
      if (base::matches(type.timeline_accounts, account.name()))
        accounts_.push_back({block + std::string(account.name()), component, &account});
    for (const base::StatGroup::Entry& entry : component->stats().counters())
      if (base::matches(type.timeline_counters, entry.name))
        counts_.push_back({block + std::string(entry.name), &entry.counter});
  }
}

std::uint64_t Timeline::in_machine_cycles(const base::Component& block, std::uint64_t cycles) const {
  const sc_core::sc_time& period = block.domain()->period();
  return period == period_
             ? cycles
             : static_cast<std::uint64_t>(std::llround(static_cast<double>(cycles) * (period / period_)));
}

/// Accounts are not settled: that would move cycles which their owner attributes later. The cycles since the
/// last charge count for the reason given then.
soc::CounterSeries::Row Timeline::look() const {
  soc::CounterSeries::Row row;
  for (const Account& entry : accounts_)
    for (std::size_t reason = 0; reason < entry.account->size(); ++reason)
      row.push_back(in_machine_cycles(*entry.block, entry.account->cycles_at(reason, entry.block->now())));
  for (const Count& entry : counts_) row.push_back(entry.counter->value());
  return row;
}

Json Timeline::json() const {
  using Sample = soc::CounterSeries::Sample;
  using Object = Json::object_t;
  std::vector<const Sample*> samples{&series_.start()};
  for (const Sample& edge : series_.edges())
    if (edge.cycle < series_.finish().cycle) samples.push_back(&edge);
  samples.push_back(&series_.finish());

  Json result{{"window_cycles", series_.window_length()}, {"edges", Json::array()}};
  for (const Sample* sample : samples) result["edges"].push_back(sample->cycle);
  std::size_t place = 0;
  // What was attributed late may lower a window: it is 0 then.
  const auto in_window = [&](std::size_t i) {
    const std::uint64_t before = samples[i - 1]->values[place], after = samples[i]->values[place];
    return after > before ? after - before : 0;
  };
  const auto series = [&](Object& parent, std::string_view name) {
    std::size_t first = 1;
    while (first < samples.size() && in_window(first) == 0) ++first;
    if (first < samples.size()) {
      Json::array_t values;
      values.reserve(samples.size() - 1);
      for (std::size_t i = 1; i < samples.size(); ++i) values.emplace_back(in_window(i));
      parent.emplace(std::string(name), std::move(values));
    }
    ++place;
  };
  // No search for each: the names of blocks are distinct.
  Object accounts, counters;
  accounts.reserve(accounts_.size());
  for (const Account& entry : accounts_) {
    Object reasons;
    for (std::size_t reason = 0; reason < entry.account->size(); ++reason)
      series(reasons, entry.account->reason(reason));
    accounts.push_back({entry.name, std::move(reasons)});
  }
  for (const Count& entry : counts_) series(counters, entry.name);
  result["accounts"] = std::move(accounts);
  result["counters"] = std::move(counters);
  return result;
}

}  // namespace spica::job
