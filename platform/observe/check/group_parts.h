// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "models/protocol/host_queues/work_group.h"

namespace spica::check {

/// The part of shared memory that each running work group owns, and its warps.
class GroupParts {
 public:
  struct Part {
    protocol::Index3 index{};  // position of the work group in its grid
    std::uint32_t launch = 0;
    unsigned cluster = 0;
    std::uint32_t begin = 0, end = 0;  // addresses
    std::uint32_t declared = 0;  // bytes from `begin` that the launch requested
    std::size_t warps = 0;       // warps that have not ended
  };
  /// Valid also after the work group has ended, because a unit may still work for it. nullptr: the warp belongs to no
  /// work group.
  using Owner = std::shared_ptr<const Part>;

  void start(const protocol::WorkGroupStart& group);
  /// True if any work group has started.
  bool any() const { return any_; }
  /// A warp of a work group starts another one.
  void spawn(unsigned by_core, unsigned by_warp, unsigned core, unsigned warp);
  void end(unsigned core, unsigned warp);
  Owner of(unsigned core, unsigned warp) const;
  /// "" if `bytes` bytes of shared memory belong to the work group; otherwise a description of their owner.
  std::string wrong(const Part& own, std::uint32_t address, unsigned bytes) const;

 private:
  using WarpKey = std::pair<unsigned, unsigned>;
  void leave(const WarpKey& warp);

  bool any_ = false;
  std::map<WarpKey, std::shared_ptr<Part>> owners_;  // by core and warp
  std::map<std::pair<unsigned, std::uint32_t>, std::shared_ptr<Part>> parts_;  // by cluster and first address
};

}  // namespace spica::check
