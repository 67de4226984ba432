// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "models/protocol/work_group.h"

namespace spica::check {

/// Which part of shared memory each work group owns while it runs, and which warps belong to it.
class GroupParts {
 public:
  struct Part {
    protocol::Index3 index{};  // of the work group in its grid
    std::uint32_t launch = 0;
    unsigned cluster = 0;
    std::uint32_t begin = 0, end = 0;  // addresses
    std::uint32_t declared = 0;  // bytes from `begin` on that the launch asks for
    std::size_t warps = 0;       // that have not ended
  };
  /// Also after the work group has ended: a unit may still work for it. nullptr: the warp belongs to no work group.
  using Owner = std::shared_ptr<const Part>;

  void start(const protocol::WorkGroupStart& group);
  /// Some work group has started.
  bool any() const { return any_; }
  /// A warp of a work group starts another one.
  void spawn(unsigned by_core, unsigned by_warp, unsigned core, unsigned warp);
  void end(unsigned core, unsigned warp);
  Owner of(unsigned core, unsigned warp) const;
  /// "" when `bytes` bytes of shared memory are the work group's own; else whose they are instead.
  std::string wrong(const Part& own, std::uint32_t address, unsigned bytes) const;

 private:
  using WarpKey = std::pair<unsigned, unsigned>;
  void leave(const WarpKey& warp);

  bool any_ = false;
  std::map<WarpKey, std::shared_ptr<Part>> owners_;  // by core and warp
  std::map<std::pair<unsigned, std::uint32_t>, std::shared_ptr<Part>> parts_;  // by cluster and first address
};

}  // namespace spica::check
