// SPDX-License-Identifier: Apache-2.0
#include "platform/watchdog/progress_monitor.h"

namespace spica::watchdog {

namespace {
// A loop with more distinct states than this between two samples is treated as progress; it keeps the
// memory of the monitor bounded.
constexpr std::size_t kMaxStates = 4096;
}  // namespace

bool ProgressMonitor::sample(base::Cycle now, std::uint64_t work,
                             const std::vector<WarpState>& running) {
  bool progress = work != work_;
  work_ = work;
  for (const WarpState& warp : running) {
    if (warp.warp >= seen_.size()) seen_.resize(warp.warp + 1);
    progress |= seen_[warp.warp].insert(warp.state).second;
  }
  if (progress) {
    last_progress_ = now;
    for (auto& states : seen_)
      if (states.size() > kMaxStates) states.clear();
  }
  return now - last_progress_ >= patience_;
}

}  // namespace spica::watchdog
