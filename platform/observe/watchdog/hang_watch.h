// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "platform/machine/session/hang_finder.h"
#include "platform/machine/soc/machine.h"
#include "platform/observe/watchdog/spin_recorder.h"

namespace spica::watchdog {

/// Detects programs that run forever without progress, while they run. Exists for the whole run.
///
/// At intervals, and only if no unit has worked since the last time, it observes all instructions for a short window
/// (SpinRecorder). If every running warp spins or waits, it observes a second window, four times as long; if the result
/// is the same, the program hangs. The program also hangs if a warp spins at the same place in all windows for
/// `run.spin_cycles` while others work, unless it waits for the other warps of its core to end.
///
/// Between windows the run costs nothing; windows are at most a sixty-fourth of the run. The last one is before
/// run.max_cycles, for the report.
///
/// A warp that works but is in the same loop in kLooks windows may never leave it: this is reported, and the run
/// continues.
class HangWatch final : public session::HangFinder {
 public:
  explicit HangWatch(soc::Machine& machine);
  ~HangWatch() override;

  bool found() const override { return found_; }
  /// A warp that has been in one loop for a long time.
  struct LongLoop {
    unsigned core, warp;
    base::Cycle since, cycle;  // first seen there; last seen there
    Loop loop;
  };
  /// The loops found since the last call; each loop of a warp once.
  std::vector<LongLoop> take_long_loops() { return std::exchange(long_loops_, {}); }
  base::Cycle look_now(base::Cycle cycle) override;
  void forget() override { found_ = false; }
  void restart(base::Cycle cycle) override;
  /// The activity of each warp in the last window, indexed by core * warps + warp; empty: no window yet.
  const std::vector<WarpActivity>& activity() const { return activity_; }

  base::Cycle next_edge() const override { return next_; }
  void at_edge(base::Cycle cycle) override;

 private:
  enum class Stage : std::uint8_t { kWaiting, kFirstHalf, kSecondHalf };
  void start_window(base::Cycle cycle, base::Cycle length);
  void stop_window();
  void judge(base::Cycle cycle);
  void look_again_after(base::Cycle cycle);
  void wait(base::Cycle cycle);
  bool over_budget(base::Cycle cycle);
  void follow_loops(base::Cycle cycle);
  base::Cycle window(base::Cycle cycle) const;

  soc::Machine& machine_;
  Stage stage_ = Stage::kWaiting;
  base::Cycle looked_ = 0;  // end of the last window
  base::Cycle next_;
  base::Cycle length_ = 0;  // length of the window in progress
  bool confirming_ = false;  // the window in progress is the second one
  std::uint64_t work_ = 0;  // work of the units, at the last edge
  std::unique_ptr<SpinRecorder> recorder_;
  std::vector<WarpActivity> activity_;
  struct Since {
    std::uint32_t branch_pc = 0;
    base::Cycle cycle = 0;
  };
  std::vector<Since> since_;  // by warp: how long it has spun at one place
  struct InLoop {
    std::uint32_t branch_pc = 0;
    base::Cycle cycle = 0;  // since then
    unsigned looks = 0;
    bool reported = false;
  };
  std::vector<InLoop> in_loop_;  // by warp
  std::vector<LongLoop> long_loops_;
  bool found_ = false;  // no warp works, or one has spun longer than its budget
};

}  // namespace spica::watchdog
