// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/params.h"
#include "platform/machine/session/streams.h"
#include "platform/workloads/concurrent/kernel_library.h"

namespace spica::concurrent {

/// How products available at the same time share a machine (arXiv:2409.02227 section 5.5): how many of them run at
/// once, and with which kernel: the fastest one for sequential products ("sequential kernel"), or the fastest one for that
/// number of concurrent products ("concurrent kernel").
enum class Schedule : std::uint8_t {
  kSequential,  // one after the other, sequential kernel
  kDefault,  // all at once, sequential kernel
  kGo,  // all at once, concurrent kernel
  kGoldyloc,  // the predicted number at once, concurrent kernel
  kOracle,  // the fastest number at once, concurrent kernel; the decision takes no time
  kCuPartition,  // all at once, sequential kernel, each on its own clusters
  kResourcePartition,  // all at once, sequential kernel, each with its own clusters and ways of the level 2 cache
};
inline constexpr base::Choices kSchedules{
    base::Choice<Schedule>{"sequential", Schedule::kSequential},
    base::Choice<Schedule>{"default", Schedule::kDefault},
    base::Choice<Schedule>{"go", Schedule::kGo},
    base::Choice<Schedule>{"goldyloc", Schedule::kGoldyloc},
    base::Choice<Schedule>{"oracle", Schedule::kOracle},
    base::Choice<Schedule>{"cu-partition", Schedule::kCuPartition},
    base::Choice<Schedule>{"resource-partition", Schedule::kResourcePartition}};

/// The resources of a machine that products can share.
struct Resources {
  std::uint64_t clusters = 1;
  std::vector<std::uint64_t> partitions;  // possible numbers of equal parts of clusters and level 2 cache
};
/// Parameters of the machine, KEY=VALUE, for that number of products. Throws UserError if equal parts are impossible.
std::vector<std::string> overrides_of(Schedule schedule, std::uint64_t available, const Resources& machine);
/// Clusters of stream `number` of `streams`. With more streams than clusters, several streams
/// have the same cluster.
protocol::ClusterSet clusters_of(Schedule schedule, std::uint64_t number, std::uint64_t streams,
                                 std::uint64_t clusters);

/// A launch of the product; all its kernels, by name. Throws UserError if the tile does not divide the product.
session::GridRequest request_of(const workloads::GemmSize& padded, const std::string& kernel);
session::StreamStep step_of(Schedule schedule, const TunedProduct& product, const workloads::GemmSize& padded,
                            std::uint64_t available);

}  // namespace spica::concurrent
