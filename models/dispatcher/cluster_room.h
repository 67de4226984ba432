// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/dispatcher/dispatcher_params.h"
#include "models/protocol/work_group.h"

namespace spica::dispatcher {

/// Where the warps of a work group run, and what it has for itself.
struct Placement {
  struct Warp {
    unsigned core, warp;  // core in its cluster
  };
  std::vector<Warp> warps;  // by rank
  std::uint32_t slot = 0;
  std::uint32_t shared_offset = 0, shared_bytes = 0;
  std::uint32_t first_barrier = 0, barriers = 0;
  std::uint32_t rows = 0;  // of registers, for each warp
  bool matrix_unit = false;  // that of the cluster is its own

  std::uint32_t cores() const;  // a bit each
  std::uint32_t warps_of(unsigned core) const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(warps, slot, shared_offset, shared_bytes, first_barrier, barriers, rows, matrix_unit);
  }
};
template <class Archive>
void serialize(Archive& archive, Placement::Warp& warp) {
  archive(warp.core, warp.warp);
}

/// What of a cluster no work group has: warps, rows of registers, shared memory, barriers, the matrix units.
///
/// Rule   warp r of a work group runs on core (first + r) modulo cores: neighbours are on different cores
///        (gpgpu-sim src/gpgpu-sim/shader.cc, shader_core_ctx::issue_block2core); `first` is the core
///        with which the cores that get a warp more have most room. Shared memory and barriers: the first gap that is
///        large enough. With mix one_kernel_per_cluster a cluster is the kernel's from its first work group to its last
class ClusterRoom {
 public:
  explicit ClusterRoom(const DispatcherParams& params);

  /// Room for a work group of kernel `kernel`; nothing when there is not enough.
  std::optional<Placement> take(const protocol::GridLaunch& launch, std::uint64_t kernel);
  /// One warp of a work group has ended, and its registers are free.
  void give_back(const Placement::Warp& warp, std::uint32_t rows);
  /// All have.
  void give_back(const Placement& placement);
  unsigned free_warps() const;
  unsigned groups() const { return groups_; }

  /// Not saved: cores_, lanes_, one_kernel_, all_rows_, shared_bytes_, all_barriers_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free_, rows_, shared_, barriers_, slots_, matrix_unit_, groups_, kernel_);
  }

 private:
  /// Pieces of something that have an owner: length by begin.
  using Pieces = std::map<std::uint32_t, std::uint32_t>;

  std::optional<unsigned> first_core(unsigned warps, std::uint32_t rows) const;

  unsigned cores_, lanes_;
  bool one_kernel_;
  std::uint32_t all_rows_, shared_bytes_, all_barriers_;
  std::vector<std::uint32_t> free_;  // warps, a bit each, by core
  std::vector<std::uint32_t> rows_;  // of registers, by core, that are free
  Pieces shared_, barriers_;
  std::vector<bool> slots_;  // work groups by number
  bool matrix_unit_ = true;  // free
  unsigned groups_ = 0;
  std::uint64_t kernel_ = 0;  // of the last one that came
};

}  // namespace spica::dispatcher
