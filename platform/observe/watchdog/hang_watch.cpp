// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/hang_watch.h"

#include <algorithm>

namespace spica::watchdog {

namespace {

// Long enough for several turns of a poll loop whose reads go to DRAM, and for any response under way.
constexpr base::Cycle kWindow = 16'384;
// Windows in a row in which a warp is in the same loop: of one that never ends, or that lanes of the warp wait for; of
// others.
constexpr unsigned kLooks = 4, kMostLooks = 16;

/// Lanes that have parted before the window.
void find_waiting(const isa::ControlFlow& flow, Loop& loop) {
  for (const isa::ControlFlow::Entry& entry : flow.open()) {
    const std::uint32_t waiting = flow.parks() ? entry.else_lanes : entry.original & ~flow.mask();
    if (waiting != 0) loop.waiting = waiting, loop.split_pc = flow.parks() ? entry.pc : entry.pc - 4;
  }
}

}  // namespace

HangWatch::HangWatch(soc::Machine& machine)
    : machine_(machine),
      next_(machine.params().run.hang_cycles),
      since_(machine.core_count() * machine.params().cluster.core.warps),
      in_loop_(since_.size()) {
  wait(0);
}

HangWatch::~HangWatch() { stop_window(); }

void HangWatch::restart(base::Cycle cycle) {
  stop_window();
  found_ = false;
  confirming_ = false;
  work_ = machine_.work_done();
  since_.assign(since_.size(), {});
  in_loop_.assign(in_loop_.size(), {});
  look_again_after(cycle);
}

void HangWatch::at_edge(base::Cycle cycle) {
  switch (stage_) {
    case Stage::kWaiting: {
      if (const base::Cycle limit = machine_.params().run.max_cycles;
          limit > cycle && limit - cycle <= kWindow) {
        confirming_ = false;
        return start_window(cycle, limit - cycle);
      }
      if (cycle - looked_ < machine_.hang_interval(looked_)) return wait(cycle);
      const std::uint64_t work = machine_.work_done();
      const bool worked = work != work_;
      work_ = work;
      if (worked) return look_again_after(cycle);
      confirming_ = false;
      return start_window(cycle, window(cycle));
    }
    case Stage::kFirstHalf:
      recorder_->half();
      stage_ = Stage::kSecondHalf;
      next_ = cycle + length_ / 2;
      return;
    case Stage::kSecondHalf: return judge(cycle);
  }
}

void HangWatch::start_window(base::Cycle cycle, base::Cycle length) {
  recorder_ = std::make_unique<SpinRecorder>(machine_.core_count(),
                                             static_cast<unsigned>(machine_.params().cluster.core.warps),
                                             !machine_.warp_view(0, 0).flow->parks());
  machine_.watch(*recorder_);
  length_ = length;
  stage_ = Stage::kFirstHalf;
  next_ = cycle + length / 2;
}

/// Groups of lanes that wait for their turns need a longer one: all are to have several.
base::Cycle HangWatch::window(base::Cycle cycle) const {
  const auto& core = machine_.params().cluster.core;
  bool parked = false;
  for (unsigned c = 0; c < machine_.core_count(); ++c)
    for (unsigned w = 0; w < core.warps; ++w) parked |= machine_.warp_view(c, w).flow->parked();
  return std::max(parked ? 4 * core.lanes * kWindow : kWindow, cycle / 256);
}

base::Cycle HangWatch::look_now(base::Cycle cycle) {
  stop_window();
  confirming_ = false;
  start_window(cycle, kWindow);
  return kWindow;
}

void HangWatch::stop_window() {
  if (recorder_ == nullptr) return;
  machine_.unwatch(*recorder_);
  recorder_.reset();
}

void HangWatch::look_again_after(base::Cycle cycle) {
  stage_ = Stage::kWaiting;
  looked_ = cycle;
  wait(cycle);
}

/// The interval gets shorter when a debugger comes.
void HangWatch::wait(base::Cycle cycle) {
  next_ = std::min(looked_ + machine_.hang_interval(looked_), cycle + machine_.params().run.hang_cycles);
  const base::Cycle limit = machine_.params().run.max_cycles;
  if (limit > cycle + 2 * kWindow) next_ = std::min(next_, limit - kWindow);
}

void HangWatch::judge(base::Cycle cycle) {
  using State = WarpActivity::State;
  activity_ = recorder_->result();
  const bool units_moved = recorder_->units_moved();
  stop_window();
  const auto any = [this](State state) {
    return std::any_of(activity_.begin(), activity_.end(),
                       [state](const WarpActivity& activity) { return activity.state == state; });
  };
  follow_loops(cycle);
  const bool stuck = !units_moved && any(State::kSpinning) && !any(State::kWorking);
  if (stuck && !confirming_) {
    confirming_ = true;
    return start_window(cycle, 4 * length_);
  }
  if (stuck || over_budget(cycle)) found_ = true;
  work_ = machine_.work_done();
  look_again_after(cycle);
}

void HangWatch::follow_loops(base::Cycle cycle) {
  const auto warps = static_cast<unsigned>(machine_.params().cluster.core.warps);
  for (std::size_t i = 0; i < activity_.size(); ++i) {
    InLoop& known = in_loop_[i];
    std::optional<Loop>& loop = activity_[i].loop;
    if (!loop) {
      known = {};
      continue;
    }
    const auto number = static_cast<unsigned>(i);
    if (loop->waiting == 0) find_waiting(*machine_.warp_view(number / warps, number % warps).flow, *loop);
    if (known.looks == 0 || known.branch_pc != loop->branch_pc)
      known = {loop->branch_pc, cycle - length_, 0, false};
    ++known.looks;
    const bool suspect = loop->waiting != 0 || loop->never_ends();
    if (known.reported || known.looks < (suspect ? kLooks : kMostLooks)) continue;
    known.reported = true;
    long_loops_.push_back({number / warps, number % warps, known.cycle, cycle, *loop});
  }
}

bool HangWatch::over_budget(base::Cycle cycle) {
  const base::Cycle budget = machine_.params().run.spin_cycles;
  bool over = false;
  for (std::size_t i = 0; i < activity_.size(); ++i) {
    const WarpActivity& activity = activity_[i];
    if (activity.state != WarpActivity::State::kSpinning || activity.waits_for_warps()) {
      since_[i] = {};
      continue;
    }
    if (since_[i].branch_pc != activity.branch_pc) since_[i] = {activity.branch_pc, cycle};
    over |= budget != 0 && cycle - since_[i].cycle >= budget;
  }
  return over;
}

}  // namespace spica::watchdog
