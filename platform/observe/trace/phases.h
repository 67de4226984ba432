// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/base/types.h"

namespace spica::trace {

/// Combines the states of a warp into phases that remain readable when a timeline shows a long time.
///
/// A wait of kShort cycles or more starts a phase with its name, as does running, including shorter waits, for that
/// long. Shorter states belong to the surrounding phase. Phases follow each other without gaps, like the states.
class Phases {
 public:
  static constexpr base::Cycle kShort = 64;

  struct Phase {
    base::Cycle from = 0, to = 0;
    unsigned reason = 0;
    std::uint32_t pc = 0;  // pc of the state that named the phase
    std::map<unsigned, base::Cycle> cycles{};  // in each state
  };

  /// `running`: number of the state that is not a wait.
  explicit Phases(unsigned running) : running_(running) {}

  /// The warp was in state `reason` from `from` to `to`, after all earlier ones. Calls `emit` with each completed
  /// phase.
  template <class Emit>
  void add(unsigned reason, std::uint32_t pc, base::Cycle from, base::Cycle to, const Emit& emit) {
    if (open_ && from != (pending_ ? next_.to : now_.to)) end(emit);  // the warp did not run between
    const bool wait = reason != running_ && to - from >= kShort;
    Phase state{from, to, wait ? reason : running_, pc, {{reason, to - from}}};
    if (!open_) {
      now_ = std::move(state);
      open_ = true;
    } else if (state.reason == now_.reason) {
      join_pending();
      extend(now_, state);
    } else if (wait) {
      if (pending_) prepend(state);
      emit(now_);
      now_ = std::move(state);
    } else {  // running during a waiting phase
      if (pending_) extend(next_, state);
      else next_ = std::move(state);
      pending_ = true;
      if (next_.to - next_.from < kShort) return;
      emit(now_);
      now_ = std::move(next_);
      pending_ = false;
    }
  }
  /// No more states for now.
  template <class Emit>
  void end(const Emit& emit) {
    if (!open_) return;
    join_pending();
    emit(now_);
    open_ = false;
  }

 private:
  static void extend(Phase& phase, const Phase& by) {
    phase.to = by.to;
    for (const auto& [reason, cycles] : by.cycles) phase.cycles[reason] += cycles;
  }
  void join_pending() {
    if (pending_) extend(now_, next_);
    pending_ = false;
  }
  void prepend(Phase& state) {
    state.from = next_.from;
    for (const auto& [reason, cycles] : next_.cycles) state.cycles[reason] += cycles;
    pending_ = false;
  }

  unsigned running_;
  Phase now_, next_;  // next_: the still short phase after now_
  bool open_ = false, pending_ = false;
};

}  // namespace spica::trace
