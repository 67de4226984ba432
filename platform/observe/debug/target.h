// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/machine/soc/machine.h"
#include "platform/observe/debug/registers.h"

namespace spica::debug {

/// A stopped machine, in gdb's terms: warps are threads with numbers from 1, by core and warp;
/// memory is that of a thread.
class Target {
 public:
  explicit Target(soc::Machine& machine);

  soc::Machine& machine() { return machine_; }
  unsigned warps() const { return static_cast<unsigned>(lanes_.size()); }
  unsigned core_of(unsigned warp) const { return warp / warps_per_core_; }
  unsigned warp_in_core(unsigned warp) const { return warp % warps_per_core_; }
  /// That of a firmware, which has none, is the last one.
  unsigned cluster_of(unsigned warp) const {
    return std::min(core_of(warp), machine_.core_count() - 1) / cores_per_cluster_;
  }
  soc::WarpView view(unsigned warp) { return machine_.warp_view(core_of(warp), warp_in_core(warp)); }
  bool running(unsigned warp) { return view(warp).running; }
  Registers registers(unsigned warp) { return {machine_, core_of(warp), warp_in_core(warp), lanes_[warp]}; }
  /// From now on every warp shows the lane it follows.
  void forget_lanes();
  /// At a stop: if the chosen lane of a warp is not active, shows the one it follows, until the lane is active
  /// at a later stop.
  void settle_lanes();
  /// Looks at a warp through another lane, until end_peek() brings its choice back. One warp at a time.
  void peek(unsigned warp, unsigned lane);
  void end_peek();
  const LaneChoice& lane_choice(unsigned warp) const { return lanes_[warp]; }

  /// Warps with a thread: those that run, or `otherwise` when none does.
  std::vector<unsigned> threads(unsigned otherwise);
  /// "core 1 warp 2".
  std::string name(unsigned warp) const;
  /// "lanes 0-7; ready".
  std::string extra_info(unsigned warp);
  /// gdb's list of threads, and its memory map.
  std::string thread_list(unsigned otherwise);
  std::string memory_map() const;

  /// Memory as `warp` sees it. Reads what there is of the bytes, from the first on; "" when there is none.
  std::string read(std::uint64_t address, std::uint64_t bytes, unsigned warp);
  bool write(std::uint64_t address, std::string_view bytes, unsigned warp);
  /// No memory: words of CSRs, which nothing writes (registers.h).
  bool has_group_words(std::uint64_t address) const;
  /// There is memory with instructions.
  bool executable(std::uint64_t address) const;

 private:
  /// Bytes of memory from there on to the end of its region; 0: none.
  std::uint64_t extent(std::uint64_t address) const;

  soc::Machine& machine_;
  const unsigned warps_per_core_, cores_per_cluster_;
  std::vector<LaneChoice> lanes_;  // by warp
  std::optional<std::pair<unsigned, LaneChoice>> before_peek_;  // warp, with its previous choice
};

}  // namespace spica::debug
