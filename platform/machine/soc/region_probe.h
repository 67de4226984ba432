// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/component.h"
#include "models/base/stat_window.h"
#include "models/protocol/marker_if.h"
#include "platform/machine/soc/run_observer.h"
#include "platform/machine/soc/sampler.h"

namespace spica::soc {

/// The timed region of a run: from the first begin marker to the last end marker of any core
/// (kernels sgemm_tcore/kernel.cpp). Keeps the cycles of both and the statistics of all blocks at
/// both. It comes first in the tick order: in the cycle after a marker, before any block advances,
/// all accounts are settled to that cycle.
class RegionProbe final : public base::Component, public protocol::MarkerIf {
 public:
  RegionProbe(const sc_core::sc_module_name& name, const base::ClockDomain& clock) : Component(name, clock) {}

  /// Also keeps the statistics of this block; before the run.
  void watch(base::Component& block);

  /// What is measured begins in this cycle; all statistics are zero.
  void begin_here();

  /// Charges all time so far, each block's in cycles of its own clock.
  void settle() const;

  /// True when both markers were seen.
  bool complete() const { return region_.first_begin().taken() && region_.last_end().taken(); }
  /// The first begin marker has come.
  bool begun() const { return first_ != base::kNever; }
  base::Cycle first() const { return first_; }
  base::Cycle last() const { return last_; }
  /// What the host had put into memory for the program is read there. False: later reads do not matter.
  bool loaded();
  /// Cycles of the timed region, of the whole run when it is not complete, before the first of these reads. Nothing:
  /// there was none, or they are not watched.
  std::optional<base::Cycle> lead() const;
  /// Statistics of the timed region; of the whole run when it is not complete.
  base::StatWindow window() const;
  /// Its length in cycles of a block that is watched.
  base::Cycle cycles(const base::Component& block) const;

  /// Lets `observer` know of all markers from now on; it must outlive the probe.
  void tell(RunObserver& observer) { observers_.push_back(&observer); }

  // protocol::MarkerIf
  void marked(protocol::Marker marker) override;

  void tick() override;
  void reset() override;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(region_, begun_, first_, last_, start_, load_of_run_, load_of_region_, take_begin_, take_end_,
            begins_, ends_);
  }
  bool idle() const override { return !take_begin_ && !take_end_; }
  base::StatGroup& stats() override { return none_; }
  void dump_state(std::ostream&) const override {}

 private:
  /// What the layout says, and behind it the cycle of each block, in its own clock.
  std::vector<std::uint64_t> values() const;

  std::vector<base::Component*> blocks_;
  base::StatLayout layout_;
  CounterSeries region_{[this](base::Cycle) { return values(); }, {0, 0, true}};  // of the markers that count
  std::vector<base::Cycle> begun_;  // by block, in its own clock; empty: in cycle 0
  base::Cycle first_ = base::kNever, last_ = base::kNever;
  base::Cycle start_ = 0;  // of what is measured, where the program has no markers
  base::Cycle load_of_run_ = base::kNever, load_of_region_ = base::kNever;  // the first ones
  bool take_begin_ = false, take_end_ = false;
  std::vector<RunObserver*> observers_;
  unsigned begins_ = 0, ends_ = 0;  // markers of the last cycle
  base::StatGroup none_;
};

}  // namespace spica::soc
