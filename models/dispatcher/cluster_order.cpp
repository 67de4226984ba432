// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/cluster_order.h"

#include <algorithm>

namespace spica::dispatcher {

ClusterOrder::ClusterOrder(const DispatcherParams& params)
    : placement_(params.placement),
      clusters_(static_cast<unsigned>(params.clusters)),
      of_port_(static_cast<unsigned>(params.clusters_per_port)),
      next_of_port_((clusters_ + of_port_ - 1) / of_port_, 0) {}

std::vector<unsigned> ClusterOrder::order(const protocol::ClusterSet& allowed,
                                          const std::vector<ClusterRoom>& rooms) const {
  std::vector<unsigned> order;
  if (placement_ == Placing::kMostFree) {
    for (unsigned i = 0; i < clusters_; ++i)
      if (allowed.allows(i)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&rooms](unsigned a, unsigned b) {
      return rooms[a].free_warps() > rooms[b].free_warps();
    });
    return order;
  }
  const auto ports = static_cast<unsigned>(next_of_port_.size());
  for (unsigned p = 0; p < ports; ++p) {
    const unsigned port = (next_port_ + p) % ports;
    for (unsigned c = 0; c < of_port_; ++c) {
      const unsigned cluster = port * of_port_ + (next_of_port_[port] + c) % of_port_;
      if (cluster < clusters_ && allowed.allows(cluster)) order.push_back(cluster);
    }
  }
  return order;
}

void ClusterOrder::took(unsigned cluster) {
  const unsigned port = cluster / of_port_;
  next_port_ = port + 1 == next_of_port_.size() ? 0 : port + 1;
  next_of_port_[port] = (cluster + 1) % of_port_;
}

void ClusterOrder::reset() {
  next_port_ = 0;
  std::fill(next_of_port_.begin(), next_of_port_.end(), 0);
}

}  // namespace spica::dispatcher
