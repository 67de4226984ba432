// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/debug/registers.h"
#include "platform/soc/machine.h"

namespace spica::debug {

/// A machine that stands still, in gdb's terms: warps are threads with numbers from 1, by core and warp;
/// memory is that of a thread.
class Target {
 public:
  explicit Target(soc::Machine& machine);

  soc::Machine& machine() { return machine_; }
  unsigned warps() const { return static_cast<unsigned>(lanes_.size()); }
  unsigned core_of(unsigned warp) const { return warp / warps_per_core_; }
  unsigned warp_in_core(unsigned warp) const { return warp % warps_per_core_; }
  unsigned cluster_of(unsigned warp) const { return core_of(warp) / cores_per_cluster_; }
  soc::WarpView view(unsigned warp) { return machine_.warp_view(core_of(warp), warp_in_core(warp)); }
  bool running(unsigned warp) { return view(warp).running; }
  Registers registers(unsigned warp) { return {machine_, core_of(warp), warp_in_core(warp), lanes_[warp]}; }
  /// From now on every warp shows the lane it follows; or those whose chosen lane is not active do.
  void forget_lanes();
  void forget_inactive_lanes();
  /// Where `warp` goes with its next instruction, or where gdb expects it: gdb knows one lane and no joins.
  std::uint32_t next_pc(unsigned warp, bool as_gdb_thinks);

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
  /// There is memory with instructions.
  bool executable(std::uint64_t address) const;

 private:
  /// Bytes of memory from there on to the end of its region; 0: none.
  std::uint64_t extent(std::uint64_t address) const;

  soc::Machine& machine_;
  const unsigned warps_per_core_, cores_per_cluster_;
  std::vector<unsigned> lanes_;  // chosen lane by warp
};

}  // namespace spica::debug
