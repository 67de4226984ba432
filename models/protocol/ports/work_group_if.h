// SPDX-License-Identifier: Apache-2.0
// Interfaces between the dispatcher of work groups, the cores and the barriers.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/protocol/host_queues/work_group.h"

namespace spica::protocol {

/// Implemented by the dispatcher of work groups; called by the host.
class GridLaunchIf : public virtual sc_core::sc_interface {
 public:
  /// Runs all work groups of the grid, concurrently with earlier grids that have not ended. A cluster must be able to
  /// run one (why_not()).
  virtual void launch(const GridLaunch& launch) = 0;
  /// The reasons why no cluster can run a work group, with values that would work; empty: it can.
  virtual std::vector<std::string> why_not(const GridLaunch& launch) const = 0;
  /// Number of its work groups that an otherwise empty cluster runs at once.
  virtual std::uint64_t occupancy(const GridLaunch& launch) const = 0;
};

/// Implemented by modules that launch grids and wait for them. `grid` is GridLaunch::id; grids with id 0 are not
/// reported.
class GridProgressIf : public virtual sc_core::sc_interface {
 public:
  /// The first work group has been dispatched to a cluster; the last one has.
  virtual void grid_started(std::uint32_t grid) = 0;
  virtual void grid_dispatched(std::uint32_t grid) = 0;
  /// The last warp of the grid has ended.
  virtual void grid_completed(std::uint32_t grid) = 0;
};

/// Implemented by the core: the dispatcher starts warps.
class WarpLaunchIf : public virtual sc_core::sc_interface {
 public:
  /// Starts a warp that has ended: at `pc`, with the lanes of `mask`, all registers zero.
  virtual void launch_warp(unsigned warp, std::uint32_t pc, std::uint32_t mask, const WorkGroup& group) = 0;
};

/// Implemented by the dispatcher; cores report the end of warps.
class WarpEndIf : public virtual sc_core::sc_interface {
 public:
  /// Warp `warp` of a work group, on core `core` of the machine, has ended with no instruction in flight.
  virtual void warp_ended(unsigned core, unsigned warp) = 0;
};

/// Implemented by the barrier synchronizer of a cluster.
class BarrierShareIf : public virtual sc_core::sc_interface {
 public:
  /// From now on, the barriers `first` to `first + count - 1` complete when the cores of the mask have arrived.
  virtual void share(unsigned first, unsigned count, std::uint32_t cores) = 0;
  /// All warps of their work group on core `core` of the cluster have ended: these barriers no longer need
  /// it.
  virtual void leave(unsigned first, unsigned count, unsigned core) = 0;
};

}  // namespace spica::protocol
