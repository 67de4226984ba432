// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/base/types.h"

namespace spica::trace {

/// Joins the states of a warp to phases that can still be read when a timeline shows much time.
///
/// A wait of kShort cycles or more begins a phase with its name; so does running, with shorter waits, for as long.
/// What is shorter belongs to the phase around it. Phases follow each other without gaps, as the states do.
class Phases {
 public:
  static constexpr base::Cycle kShort = 64;

  struct Phase {
    base::Cycle from = 0, to = 0;
    unsigned reason = 0;
    std::uint32_t pc = 0;  // of the state that gave it its name
    std::map<unsigned, base::Cycle> cycles{};  // in each state
  };

  /// `running`: the state that is not a wait.
  explicit Phases(unsigned running) : running_(running) {}

  /// The warp was in state `reason` from `from` to `to`, later than all before. `emit`: called with each phase that
  /// is over.
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
    } else {  // running in a phase of waiting
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
  Phase now_, next_;  // next_: what comes after now_ and is still short
  bool open_ = false, pending_ = false;
};

}  // namespace spica::trace
