// SPDX-License-Identifier: Apache-2.0
// Queues of kernels as a host sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.h"

namespace spica::protocol {

/// A queue whose packets are in memory: what its registers are to hold.
struct QueueSetup {
  unsigned queue = 0;
  std::uint32_t base = 0;  // of the ring
  std::uint32_t packets = 0;  // that it has room for
  std::uint32_t written = 0;  // so far: its doorbell
  std::uint32_t clusters = 0;  // that its kernels may run on, a bit each; 0: all
};

/// When a kernel of a queue ran.
struct KernelRun {
  unsigned queue = 0;
  std::uint32_t packet = 0;  // its number in the queue, from 0 on
  base::Cycle launched = base::kNever;  // given to the dispatcher
  base::Cycle begun = base::kNever;  // its first work group was given to a cluster
  base::Cycle ended = base::kNever;  // its last warp has ended; kNever: it has not
  std::uint32_t degree = 0;  // of a matrix product: the number planned to run at once; 0: nothing was decided
};

/// The state of a queue.
struct QueueState {
  std::uint32_t written = 0, read = 0;  // packets
  std::uint32_t running = 0;  // kernels that have begun and not ended
  std::vector<std::uint32_t> waits;  // addresses of signals that the packet at the head waits for
};

}  // namespace spica::protocol
