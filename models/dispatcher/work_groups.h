// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/dispatcher/cluster_order.h"
#include "models/dispatcher/cluster_room.h"
#include "models/dispatcher/dispatcher_params.h"
#include "models/protocol/host_queues/work_group.h"
#include "models/protocol/ports/group_sequence_if.h"

namespace spica::dispatcher {

/// A warp to be started.
struct WarpStart {
  unsigned core = 0, warp = 0;  // core of the machine
  std::uint32_t pc = 0, lanes = 0;
  protocol::WorkGroup group;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(core, warp, pc, lanes, group);
  }
};

/// Walks grids and dispatches their work groups to clusters with room, for both modes. Time is passed in by the caller.
///
/// Order    in a grid x runs fastest, then y, then z. The oldest active_kernels grids are active; the policy selects
///          among those for which a cluster has room
/// Cluster  the first with room in the order of ClusterOrder
class WorkGroups {
 public:
  explicit WorkGroups(const DispatcherParams& params);

  /// Adds a grid, which may start in cycle `ready` if it is active by then.
  void launch(const protocol::GridLaunch& launch, base::Cycle ready = 0);
  /// Work groups are taken from `sequence` instead of all in ascending order; for a single grid.
  void follow(protocol::GroupSequenceIf& sequence) { sequence_ = &sequence; }
  struct Dispatched {
    std::uint32_t grid = 0;  // GridLaunch::id
    bool first = false, last = false;  // first and last work group of the grid
    unsigned cluster = 0;
    std::uint32_t shared_bytes = 0;  // GridLaunch::shared_bytes
    Placement place;
    std::vector<WarpStart> starts;  // by rank
  };
  /// Dispatches the next work group to a cluster, in cycle `now`. Empty if none waits or none has room.
  std::optional<Dispatched> dispatch(base::Cycle now = 0);
  /// Records the end of a warp. Returns the id of the grid if it was the last warp; a grid that becomes active may
  /// start in cycle `ready`.
  std::optional<std::uint32_t> ended(unsigned core, unsigned warp, base::Cycle ready = 0);
  /// A core of a cluster on which all warps of a work group have ended, and the group's barriers.
  struct Left {
    unsigned cluster = 0, core = 0;
    std::uint32_t first_barrier = 0, barriers = 0;
  };
  /// What core the work group of a warp leaves with the warp's end; empty: others of its warps run there, or
  /// nowhere. Call before ended().
  std::optional<Left> leaves(unsigned core, unsigned warp) const;
  /// Earliest start of another active grid after `now`; kNever: there is none.
  base::Cycle next_ready(base::Cycle now) const;

  /// Number of work groups not dispatched yet, of grids that may start in cycle `at`, or of all; and of those
  /// dispatched and not ended.
  std::uint64_t waiting(base::Cycle at = base::kNever) const;
  std::uint64_t resident() const { return groups_.size(); }
  bool empty() const { return grids_.empty(); }
  /// The number of waiting work groups, and one line per running one, as text; "" if there are none. `name`: of the
  /// dispatcher.
  std::string describe(const char* name) const;
  void reset();

  template <class Archive>
  void serialize(Archive& archive) {
    archive(grids_, launched_, turn_, groups_, owner_);
    for (ClusterRoom& room : rooms_) archive(room);
    archive(order_);
  }

 private:
  struct Grid {
    protocol::GridLaunch launch;
    std::uint64_t dispatched = 0, ended = 0;  // work groups
    base::Cycle ready = base::kNever;  // kNever: not active

    template <class Archive>
    void serialize(Archive& archive) {
      archive(launch, dispatched, ended, ready);
    }
  };
  using Grids = std::map<std::uint64_t, Grid>;  // by number of the launch
  struct Group {
    unsigned cluster = 0;
    Placement place;
    std::uint64_t left = 0;  // warps that have not ended
    std::uint64_t grid = 0;  // number of the launch
    std::uint64_t number = 0;  // number in its grid

    template <class Archive>
    void serialize(Archive& archive) {
      archive(cluster, place, left, grid, number);
    }
  };
  using Key = std::pair<unsigned, std::uint32_t>;  // cluster and slot

  void activate(base::Cycle ready);
  /// The grid has work groups that have not been dispatched.
  bool waits(const Grid& grid) const {
    return sequence_ != nullptr ? sequence_->any() : grid.dispatched != grid.launch.groups();
  }
  std::optional<Dispatched> dispatch_of(Grids::value_type& grid, base::Cycle now);
  Dispatched start(Grids::value_type& grid, unsigned cluster, Placement place);

  const DispatcherParams params_;
  protocol::GroupSequenceIf* sequence_ = nullptr;  // nullptr: all, ascending
  Grids grids_;
  std::uint64_t launched_ = 0;
  std::uint64_t turn_ = 0;  // the grid of the last dispatched work group
  std::vector<ClusterRoom> rooms_;  // by cluster
  ClusterOrder order_;
  std::map<Key, Group> groups_;  // dispatched work groups
  std::map<std::pair<unsigned, unsigned>, Key> owner_;  // by core of the machine and warp
};

}  // namespace spica::dispatcher
