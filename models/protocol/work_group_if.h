// SPDX-License-Identifier: Apache-2.0
// Between the dispatcher of work groups, the cores and the barriers.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/protocol/work_group.h"

namespace spica::protocol {

/// Implemented by the dispatcher of work groups: what a host asks of it.
class GridLaunchIf : public virtual sc_core::sc_interface {
 public:
  /// All work groups of the grid will run, concurrently with those of earlier grids that have not ended. A cluster must
  /// be able to run one (why_not()).
  virtual void launch(const GridLaunch& launch) = 0;
  /// Why no cluster can, with the numbers that would do; empty: it can.
  virtual std::vector<std::string> why_not(const GridLaunch& launch) const = 0;
  /// How many work groups of it a cluster holds at once that has no others.
  virtual std::uint64_t occupancy(const GridLaunch& launch) const = 0;
};

/// Implemented by who launches grids and waits for them; `grid` is GridLaunch::id; not told of those of id 0.
class GridProgressIf : public virtual sc_core::sc_interface {
 public:
  /// The first work group has been given to a cluster; the last one has.
  virtual void grid_begun(std::uint32_t grid) = 0;
  virtual void grid_given(std::uint32_t grid) = 0;
  /// The last warp has ended.
  virtual void grid_ended(std::uint32_t grid) = 0;
};

/// Implemented by the core: the dispatcher starts warps.
class WarpLaunchIf : public virtual sc_core::sc_interface {
 public:
  /// The warp, which has ended, starts at `pc` with the lanes of `mask`, all registers zero.
  virtual void launch_warp(unsigned warp, std::uint32_t pc, std::uint32_t mask, const WorkGroup& group) = 0;
};

/// Implemented by the dispatcher: cores tell it what becomes of warps.
class WarpEndIf : public virtual sc_core::sc_interface {
 public:
  /// Warp `warp` of a work group, on core `core` of the machine, has ended, and no instruction of it is under way.
  virtual void warp_ended(unsigned core, unsigned warp) = 0;
};

/// Implemented by the barrier synchronizer of a cluster.
class BarrierShareIf : public virtual sc_core::sc_interface {
 public:
  /// From now on, the barriers `first` to `first + count - 1` are complete when the cores of the mask have arrived.
  virtual void share(unsigned first, unsigned count, std::uint32_t cores) = 0;
};

}  // namespace spica::protocol
