// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/component.h"
#include "models/base/stat_window.h"
#include "models/protocol/ports/marker_if.h"
#include "platform/machine/soc/run_observer.h"
#include "platform/machine/soc/sampler.h"

namespace spica::soc {

/// The timed region of a run: from the first begin marker to the last end marker of any core (kernels
/// sgemm_tcore/kernel.cpp). Records the cycles and the statistics of all blocks at both. It is first in the tick order:
/// in the cycle after a marker, all accounts are settled to that cycle before any block advances.
class RegionProbe final : public base::Component, public protocol::MarkerIf {
 public:
  RegionProbe(const sc_core::sc_module_name& name, const base::ClockDomain& clock) : Component(name, clock) {}

  /// Also records the statistics of this block. Call before the run.
  void watch(base::Component& block);

  /// Starts the measurement in this cycle, with all statistics zero.
  void begin_here();

  /// Charges all time so far, of each block in cycles of its own clock.
  void settle() const;

  /// True when both markers were seen.
  bool complete() const { return region_.first_begin().taken() && region_.last_end().taken(); }
  /// True if the first begin marker has been executed.
  bool has_begun() const { return first_ != base::kNever; }
  base::Cycle first() const { return first_; }
  base::Cycle last() const { return last_; }
  /// Called when the program reads data that the host has loaded. False: later reads need not be reported.
  bool loaded();
  /// Cycles in the timed region (the whole run if it is incomplete) before the first of these reads. Empty: there was
  /// none, or they are not watched.
  std::optional<base::Cycle> lead() const;
  /// Statistics of the timed region; of the whole run if it is incomplete.
  base::StatWindow window() const;
  /// Length of the region in cycles of a block that was added by watch().
  base::Cycle cycles(const base::Component& block) const;

  /// Reports all markers and launches to `observer`, which must outlive the probe.
  void add_observer(RunObserver& observer) { observers_.push_back(&observer); }

  /// A kernel of a queue has been launched or has ended.
  void launches_changed();

  /// Loops of units follow `sequence`, which must outlive the run.
  void follow(protocol::UnitSequenceIf& sequence) { sequence_ = &sequence; }

  // protocol::MarkerIf
  void marked(protocol::Marker marker) override;
  std::uint32_t marked_unit(const protocol::UnitMark& mark) override {
    return sequence_ == nullptr ? mark.value : sequence_->follow(mark);
  }

  void tick() override;
  void reset() override;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(region_, block_begins_, first_, last_, start_, load_of_run_, load_of_region_, take_begin_,
            take_end_, take_launches_, begins_, ends_);
  }
  /// Launches keep no run going: a run without observers of them ends in the same cycle.
  bool idle() const override { return !take_begin_ && !take_end_; }
  base::StatGroup& stats() override { return none_; }
  void dump_state(std::ostream&) const override {}

 private:
  /// The values of the layout, followed by the cycle of each block in its own clock.
  std::vector<std::uint64_t> values() const;

  std::vector<base::Component*> blocks_;
  base::StatLayout layout_;
  CounterSeries region_{[this](base::Cycle) { return values(); }, {0, 0, true}};  // at the markers that count
  std::vector<base::Cycle> block_begins_;  // by block, in its own clock; empty: cycle 0
  base::Cycle first_ = base::kNever, last_ = base::kNever;
  base::Cycle start_ = 0;  // the first measured cycle, for programs without markers
  base::Cycle load_of_run_ = base::kNever, load_of_region_ = base::kNever;  // first read of loaded data
  bool take_begin_ = false, take_end_ = false, take_launches_ = false;
  std::vector<RunObserver*> observers_;
  unsigned begins_ = 0, ends_ = 0;  // numbers of markers in the last cycle
  protocol::UnitSequenceIf* sequence_ = nullptr;  // nullptr: all units, in the order of the program
  base::StatGroup none_;
};

}  // namespace spica::soc
