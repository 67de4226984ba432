// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/dispatcher/dispatcher_params.h"
#include "models/protocol/host_queues/work_group.h"

namespace spica::dispatcher {

/// The warps and resources assigned to a work group.
struct Placement {
  struct Warp {
    unsigned core, warp;  // core within its cluster
  };
  std::vector<Warp> warps;  // by rank
  std::uint32_t slot = 0;
  std::uint32_t shared_offset = 0, shared_bytes = 0;
  std::uint32_t first_barrier = 0, barriers = 0;
  std::uint32_t rows = 0;  // rows of registers per warp
  bool matrix_unit = false;  // it owns the matrix unit of the cluster

  std::uint32_t cores() const;  // one bit each
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

/// Free resources of a cluster: warps, rows of registers, shared memory, barriers, matrix units.
///
/// Rule   warp r of a work group runs on core (first + r) modulo cores, so neighbours are on different cores (gpgpu-sim
///        src/gpgpu-sim/shader.cc, shader_core_ctx::issue_block2core). `first` is chosen such that the cores with an
///        extra warp have most room. Shared memory and barriers: the first gap that is large enough. With mix
///        one_kernel_per_cluster a cluster belongs to a kernel from its first work group to its last
class ClusterRoom {
 public:
  explicit ClusterRoom(const DispatcherParams& params);

  /// Allocates a work group of kernel `kernel`; empty if there is not enough room.
  std::optional<Placement> take(const protocol::GridLaunch& launch, std::uint64_t kernel);
  /// A warp of a work group has ended: frees its registers.
  void give_back(const Placement::Warp& warp, std::uint32_t rows);
  /// All warps of a work group have ended: frees the rest.
  void give_back(const Placement& placement);
  unsigned free_warps() const;
  unsigned groups() const { return groups_; }

  /// Not saved: cores_, lanes_, one_kernel_, all_rows_, shared_bytes_, all_barriers_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free_, rows_, shared_, barriers_, slots_, matrix_unit_, groups_, kernel_);
  }

 private:
  /// Allocated ranges: length by begin.
  using Pieces = std::map<std::uint32_t, std::uint32_t>;

  std::optional<unsigned> first_core(unsigned warps, std::uint32_t rows) const;

  unsigned cores_, lanes_;
  bool one_kernel_;
  std::uint32_t all_rows_, shared_bytes_, all_barriers_;
  std::vector<std::uint32_t> free_;  // free warps, one bit each, by core
  std::vector<std::uint32_t> rows_;  // free rows of registers by core
  Pieces shared_, barriers_;
  std::vector<bool> slots_;  // work groups by number
  bool matrix_unit_ = true;  // the matrix unit is free
  unsigned groups_ = 0;
  std::uint64_t kernel_ = 0;  // the last kernel
};

}  // namespace spica::dispatcher
