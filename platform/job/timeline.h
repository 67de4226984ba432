// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/stats.h"
#include "platform/json/value.h"
#include "platform/soc/run_observer.h"

namespace spica::soc {
class Soc;
}

namespace spica::job {

/// What the units of the machine did over time: their cycle accounts and some counters, read at the edges of
/// equal windows. Reading is all it does; the run is the same with and without it.
///
/// The windows start short. Whenever there are kMostWindows of them, every other edge goes and windows are
/// twice as long, so that a run of any length ends with half of kMostWindows or more (very short ones: fewer).
class Timeline final : public soc::RunObserver {
 public:
  static constexpr base::Cycle kFirstWindow = 64;
  static constexpr std::size_t kMostWindows = 256;

  explicit Timeline(soc::Soc& soc);

  base::Cycle next_edge() const override { return next_edge_; }
  void at_edge(base::Cycle cycle) override;

  /// After the run, which took `cycles`: {window_cycles, edges, accounts: {name: {reason: [cycles]}},
  /// counters: {name: [value]}}; one value per window, none for what is always 0.
  json::Value json(base::Cycle cycles) const;

 private:
  struct Account {
    std::string name;
    const base::CycleAccount* account;
  };
  struct Count {
    std::string name;
    const base::Counter* counter;
  };
  struct Sample {
    base::Cycle cycle = 0;
    std::vector<std::uint64_t> values;  // all reasons of all accounts, then all counters
  };
  Sample look(base::Cycle cycle) const;
  void thin_out();

  soc::Soc& soc_;
  std::vector<Account> accounts_;
  std::vector<Count> counts_;
  base::Cycle window_ = kFirstWindow;
  base::Cycle next_edge_ = kFirstWindow;
  std::vector<Sample> samples_;
};

}  // namespace spica::job
