// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/dispatcher/cluster_room.h"
#include "models/dispatcher/dispatcher_params.h"
#include "models/protocol/work_group.h"

namespace spica::dispatcher {

/// One warp that is to start.
struct WarpStart {
  unsigned core = 0, warp = 0;  // core of the machine
  std::uint32_t pc = 0, lanes = 0;
  protocol::WorkGroup group;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(core, warp, pc, lanes, group);
  }
};

/// Walks grids and gives their work groups to clusters with room, without time: what both modes do the same.
///
/// Order    x runs fastest, then y, then z; a grid begins when all work groups of the one before have ended
/// Cluster  the one with most free warps among those with room, the lowest of several
class WorkGroups {
 public:
  explicit WorkGroups(const DispatcherParams& params);

  void launch(const protocol::GridLaunch& launch) { grids_.push_back({launch, 0, 0}); }
  /// Gives the next work group to a cluster. Nothing when none waits, or none has room.
  struct Given {
    unsigned cluster = 0;
    Placement place;
    std::vector<WarpStart> starts;  // by rank
  };
  std::optional<Given> give();
  /// A warp of a work group has ended. True: it was the last one of its grid.
  bool ended(unsigned core, unsigned warp);

  /// Work groups that no cluster has yet, of all grids; those that clusters have.
  std::uint64_t waiting() const;
  std::uint64_t resident() const { return groups_.size(); }
  bool empty() const { return grids_.empty(); }
  /// How many wait, and those that run, a line each, for people; "" without any. `name`: of the dispatcher.
  std::string describe(const char* name) const;
  void reset();

  template <class Archive>
  void serialize(Archive& archive) {
    archive(grids_, groups_, owner_);
    for (ClusterRoom& room : rooms_) archive(room);
  }

 private:
  struct Grid {
    protocol::GridLaunch launch;
    std::uint64_t given = 0, ended = 0;  // work groups

    template <class Archive>
    void serialize(Archive& archive) {
      archive(launch, given, ended);
    }
  };
  struct Group {
    unsigned cluster = 0;
    Placement place;
    std::uint64_t left = 0;  // warps that have not ended
    std::uint64_t number = 0;  // in its grid

    template <class Archive>
    void serialize(Archive& archive) {
      archive(cluster, place, left, number);
    }
  };
  using Key = std::pair<unsigned, std::uint32_t>;  // cluster and slot

  Given start(const protocol::GridLaunch& launch, std::uint64_t number, unsigned cluster, Placement place);

  const DispatcherParams params_;
  std::deque<Grid> grids_;
  std::vector<ClusterRoom> rooms_;  // by cluster
  std::map<Key, Group> groups_;  // that clusters have
  std::map<std::pair<unsigned, unsigned>, Key> owner_;  // by core of the machine and warp
};

}  // namespace spica::dispatcher
