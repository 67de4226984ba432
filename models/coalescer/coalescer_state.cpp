// SPDX-License-Identifier: Apache-2.0
// Back to the beginning, and state for people.
#include <ostream>

#include "models/coalescer/coalescer.h"

namespace spica::coalescer {

void Coalescer::reset() {
  pool_.drop_all();
  accesses_.clear();
  free_.clear();
  lanes_.clear();
  queue_.clear();
  entries_ = 0;
  accepted_ = base::kNever;
  done_.clear();
  in.reset();
  for (auto& socket : out) socket.reset();
  head_ = AccessTable::kNone;
  open_ = 0;
  blocked_ = 0;
  stats_.activity.charge(Stats::kIdle, now());
}

void Coalescer::dump_state(std::ostream& os) const {
  static constexpr const char* kWhy[] = {"sending", "sending", "waits for a free id", "cache holds a request",
                                         "waits for the atomic of the lane before"};
  if (open_ == 0) return;
  os << name() << ": " << open_ << " warp accesses open, " << queue_.size() << " queued, " << pool_.in_use()
     << " requests in flight";
  if (head_ != AccessTable::kNone) {
    const protocol::Origin& origin = accesses_[head_].payload->info.origin;
    os << "; head of core " << origin.core << " warp " << unsigned{origin.warp} << " pc 0x" << std::hex
       << origin.pc << ", lanes left 0x" << lanes_.left() << std::dec << ": " << kWhy[blocked_];
  }
  os << "\n";
}

}  // namespace spica::coalescer
