// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/params.h"
#include "platform/machine/session/streams.h"
#include "platform/workloads/concurrent/kernel_library.h"

namespace spica::concurrent {

/// How products available at the same time share a machine (arXiv:2409.02227 section 5.5). `kernel` is the one that
/// is fastest for products in turn, `shared` the one that is fastest for that number at once.
enum class Schedule : std::uint8_t {
  kSequential,  // one after the other, kernel
  kDefault,  // all at once, kernel
  kGo,  // all at once, shared
  kGoldyloc,  // as many at once as the model predicts, shared
  kOracle,  // as many at once as were fastest, shared; decided in no time
  kCuPartition,  // all at once, kernel, each on clusters of its own
  kResourcePartition,  // all at once, kernel, each on clusters and with ways of the level 2 cache of its own
};
inline constexpr base::Choices kSchedules{
    base::Choice<Schedule>{"sequential", Schedule::kSequential},
    base::Choice<Schedule>{"default", Schedule::kDefault},
    base::Choice<Schedule>{"go", Schedule::kGo},
    base::Choice<Schedule>{"goldyloc", Schedule::kGoldyloc},
    base::Choice<Schedule>{"oracle", Schedule::kOracle},
    base::Choice<Schedule>{"cu-partition", Schedule::kCuPartition},
    base::Choice<Schedule>{"resource-partition", Schedule::kResourcePartition}};

/// What a machine has that products can have parts of.
struct Resources {
  std::uint64_t clusters = 1;
  std::vector<std::uint64_t> partitions;  // of clusters and level 2 cache: how many equal ones there can be
};
/// KEY=VALUE of the machine for that number of products. Throws UserError: they cannot have equal parts.
std::vector<std::string> overrides_of(Schedule schedule, std::uint64_t available, const Resources& machine);
/// Clusters of stream `number` of `streams`, a bit each; 0: all. With more streams than clusters several have the same.
std::uint32_t clusters_of(Schedule schedule, std::uint64_t number, std::uint64_t streams,
                          std::uint64_t clusters);

/// A launch of the product; all of its kernels, by name. Throws UserError: a tile does not divide the product.
session::GridRequest request_of(const workloads::GemmSize& padded, const std::string& kernel);
session::StreamStep step_of(Schedule schedule, const TunedProduct& product, const workloads::GemmSize& padded,
                            std::uint64_t available);

}  // namespace spica::concurrent
