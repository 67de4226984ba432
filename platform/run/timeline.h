// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "platform/base/json/value.h"
#include "platform/machine/soc/sampler.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::job {

/// The activity of the machine's units over time: their cycle accounts, in cycles of the machine, and some counters,
/// sampled at the edges of equal windows. Sampling does not affect the run.
///
/// Windows start short. When there are kMostWindows of them, every second edge is removed and windows become twice as
/// long. So a run ends with at least half of kMostWindows windows (very short runs: fewer).
class Timeline {
 public:
  static constexpr base::Cycle kFirstWindow = 64;
  static constexpr std::size_t kMostWindows = 256;

  Timeline(soc::MeasuredMachine& soc, soc::Sampler& sampler);

  /// After the run: {window_cycles, edges, accounts: {name: {reason: [cycles]}}, counters: {name: [value]}}; one value
  /// per window; series that are always 0 are omitted.
  json::Value json() const;

 private:
  struct Account {
    std::string name;
    const base::Component* block;
    const base::CycleAccount* account;
  };
  struct Count {
    std::string name;
    const base::Counter* counter;
  };
  /// All reasons of all accounts, then all counters.
  soc::CounterSeries::Row look() const;

  /// Converts cycles of a block's own clock to cycles of the machine.
  std::uint64_t in_machine_cycles(const base::Component& block, std::uint64_t cycles) const;

  const sc_core::sc_time period_;  // of the machine's clock
  std::vector<Account> accounts_;
  std::vector<Count> counts_;
  soc::CounterSeries& series_;
};

}  // namespace spica::job
