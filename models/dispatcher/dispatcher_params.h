// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/protocol/host_queues/work_group.h"

namespace spica::dispatcher {

/// Selects which of several kernels dispatches its next work group.
enum class Policy : std::uint8_t { kRoundRobin, kOldestFirst };
/// Whether work groups of different kernels share a cluster.
enum class Mix : std::uint8_t { kAllow, kOneKernel };
inline constexpr base::Choices kPolicies{base::Choice<Policy>{"round_robin", Policy::kRoundRobin},
                                         base::Choice<Policy>{"oldest_first", Policy::kOldestFirst}};
inline constexpr base::Choices kMixes{base::Choice<Mix>{"allow", Mix::kAllow},
                                      base::Choice<Mix>{"one_kernel_per_cluster", Mix::kOneKernel}};

/// The cluster of a work group.
enum class Placing : std::uint8_t { kMostFree, kRoundRobin };
inline constexpr base::Choices kPlacings{base::Choice<Placing>{"most_free", Placing::kMostFree},
                                         base::Choice<Placing>{"round_robin", Placing::kRoundRobin}};

struct DispatcherParams {
  bool present = false;
  std::uint64_t active_kernels = 16;
  Policy policy = Policy::kRoundRobin;
  Mix mix = Mix::kAllow;
  Placing placement = Placing::kMostFree;
  std::uint64_t kernel_latency = 0;
  std::uint64_t groups_per_cycle = 1;
  std::uint64_t launch_latency = 2;
  std::uint64_t warp_interval = 1;
  bool ended_warps_arrive = false;

  // Set by the machine, not keys.
  std::uint64_t clusters_per_port = 1;  // of the network
  std::uint64_t clusters = 1, cores = 4, warps = 8, lanes = 8;  // cores of a cluster
  std::uint64_t register_rows = 0;  // register rows of a core; 0: each warp has its own registers
  std::uint64_t shared_base = 0, shared_bytes = 0;
  std::uint64_t barriers = 8;  // of a cluster
  std::uint64_t matrix_units = 0;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"present"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field(
        "present", p.present,
        "kernels can be launched as grids of work groups (spica run --grid); off: programs start on all cores",
        "vortex-kmu VX_kmu.sv");
    field("active_kernels", p.active_kernels, "kernels", Range{1, 128},
          "kernels with dispatched work groups at a time; others wait in launch order",
          "gpgpu-sim src/gpgpu-sim/gpu-sim.cc (-gpgpu_max_concurrent_kernel)");
    field("policy", p.policy, kPolicies,
          "kernel of the next work group: round_robin: kernels take turns; oldest_first: the "
          "earliest launch that has a work group that fits");
    field("mix", p.mix, kMixes, "sharing of a cluster by work groups of different kernels");
    field(
        "placement", p.placement, kPlacings,
        "cluster of a work group: most_free: the one with most free warps; round_robin: ports of the network "
        "in turn, and the clusters of a port in turn",
        "most_free: vortex-kmu; round_robin: gpgpu-sim src/gpgpu-sim/gpu-sim.cc (issue_block2core)");
    field("kernel_latency", p.kernel_latency, "cycles", Range{0, 1'000'000},
          "from the launch of a kernel, or the end of its wait for others, to the choice of a "
          "cluster for its first work group",
          "gpgpu-sim src/gpgpu-sim/gpu-sim.cc (-gpgpu_kernel_launch_latency)");
    field("groups_per_cycle", p.groups_per_cycle, "work groups/cycle", Range{1, 256},
          "maximum number of work groups dispatched per cycle", "vortex-kmu VX_kmu.sv");
    field("launch_latency", p.launch_latency, "cycles", Range{1, 1'000'000},
          "from the choice of the cluster to the start of the first warp of each core",
          "vortex-kmu core/VX_cta_dispatch.sv UNCERTAIN");
    field("warp_interval", p.warp_interval, "cycles", Range{0, 1024},
          "interval between warp starts of a work group on a core; 0: all start at once",
          "vortex-kmu core/VX_cta_dispatch.sv (one warp per cycle)");
    field("ended_warps_arrive", p.ended_warps_arrive,
          "warps of a work group that have ended count as arrived at barriers of all its warps, with one "
          "warning per kernel; off: a barrier that such a warp does not reach is a hang",
          "CUDA C++ Programming Guide, compute capability 7.x (barriers wait for all non-exited threads)");
  }
};

/// Reasons why no cluster of this machine can ever run a work group of this launch, with values that would work. Empty:
/// a cluster can.
std::vector<std::string> why_not(const DispatcherParams& params, const protocol::GridLaunch& launch);
/// The number of work groups of this launch that an empty cluster holds at once.
std::uint64_t occupancy(const DispatcherParams& params, const protocol::GridLaunch& launch);

}  // namespace spica::dispatcher
