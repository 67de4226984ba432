// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "models/base/types.h"

namespace spica::protocol {

/// State shared by the blocks of the fast mode while one slice of a warp runs: the estimated cycle, and requests of
/// blocks to end the slice.
struct LooseTime {
  base::Cycle now = 0;
  bool stop = false;  // all warps stop: a fault, or a request to the host
  std::int64_t left = std::numeric_limits<std::int64_t>::max();  // warp instructions until `stop` is set
  bool polled = false;  // the warp polled something that is not ready
  base::Cycle poll_again = base::kNever;  // the earliest cycle at which that changes on its own
  std::atomic<bool> interrupted{false};  // by a signal: the slice ends soon

  /// The warp found a unit busy until cycle `until`, or waits for other warps (kNever).
  void poll(base::Cycle until) {
    polled = true;
    if (until < poll_again) poll_again = until;
  }
};

}  // namespace spica::protocol
