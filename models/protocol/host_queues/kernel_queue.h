// SPDX-License-Identifier: Apache-2.0
// Queues of kernels as seen by the host.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/host_queues/cluster_set.h"

namespace spica::protocol {

/// The values of the registers of a queue whose packets are in memory.
struct QueueSetup {
  unsigned queue = 0;
  std::uint32_t base = 0;  // address of the ring
  std::uint32_t packets = 0;  // capacity of the ring
  std::uint32_t written = 0;  // packets written so far: the value of the doorbell
  ClusterSet clusters;  // clusters on which its kernels may run
};

/// The times of one kernel of a queue.
struct KernelRun {
  unsigned queue = 0;
  std::uint32_t packet = 0;  // its number in the queue, from 0
  base::Cycle launched = base::kNever;  // passed to the dispatcher
  base::Cycle begun = base::kNever;  // its first work group was dispatched to a cluster
  base::Cycle ended = base::kNever;  // its last warp has ended; kNever: still running
  std::uint32_t degree =
      0;  // matrix products: number of products planned to run concurrently; 0: no decision
};

/// The state of a queue.
struct QueueState {
  std::uint32_t written = 0, read = 0;  // packets
  std::uint32_t running = 0;  // kernels that have started and not ended
  std::vector<std::uint32_t> waits;  // addresses of the signals for which the packet at the head waits
};

}  // namespace spica::protocol
