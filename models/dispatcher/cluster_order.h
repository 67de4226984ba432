// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/dispatcher/cluster_room.h"
#include "models/dispatcher/dispatcher_params.h"
#include "models/protocol/host_queues/cluster_set.h"

namespace spica::dispatcher {

/// The order in which clusters are tried for a work group.
///
/// most_free     by free warps, the lowest of equals first
/// round_robin   the ports of the network in turn, from the one after the last that got a work group; within a port its
///               clusters in turn (gpgpu-sim src/gpgpu-sim/gpu-sim.cc, issue_block2core)
class ClusterOrder {
 public:
  explicit ClusterOrder(const DispatcherParams& params);

  /// The allowed clusters, the first to try first.
  std::vector<unsigned> order(const protocol::ClusterSet& allowed,
                              const std::vector<ClusterRoom>& rooms) const;
  /// The cluster got a work group.
  void took(unsigned cluster);
  void reset();

  /// Not saved: placement_, clusters_, of_port_.
  template <class Archive>
  void serialize(Archive& archive) {
    if (placement_ == Placing::kRoundRobin) archive(next_port_, next_of_port_);
  }

 private:
  const Placing placement_;
  const unsigned clusters_, of_port_;
  unsigned next_port_ = 0;
  std::vector<unsigned> next_of_port_;  // by port
};

}  // namespace spica::dispatcher
