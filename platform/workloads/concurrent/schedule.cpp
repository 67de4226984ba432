// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "platform/base/input/user_error.h"
#include "platform/machine/soc/key_of.h"

namespace spica::concurrent {

namespace {

std::string policy(const char* name) {
  const soc::SocParams any;
  return setting(any, any.command_processor.policy, name);
}

std::string free_decisions() {
  const soc::SocParams any;
  return setting(any, any.command_processor.decision_us, "0");
}

std::vector<std::string> part_of(std::uint64_t available, const Resources& machine) {
  const auto& can = machine.partitions;
  if (std::find(can.begin(), can.end(), available) == can.end())
    throw input::UserError(fmt::format(
        "resource-partition: {} products cannot have equal parts of {} clusters and of the ways of the "
        "level 2 cache; possible numbers: {}",
        available, machine.clusters, fmt::join(can, ", ")));
  const soc::SocParams any;
  return {policy("greedy"), setting(any, any.l2.partitions, std::to_string(available))};
}

}  // namespace

std::vector<std::string> overrides_of(Schedule schedule, std::uint64_t available, const Resources& machine) {
  switch (schedule) {
    case Schedule::kSequential: return {policy("sequential")};
    case Schedule::kGoldyloc: return {policy("predicted")};
    case Schedule::kOracle: return {policy("oracle"), free_decisions()};
    case Schedule::kResourcePartition: return part_of(available, machine);
    default: return {policy("greedy")};
  }
}

protocol::ClusterSet clusters_of(Schedule schedule, std::uint64_t number, std::uint64_t streams,
                                 std::uint64_t clusters) {
  if (schedule != Schedule::kCuPartition && schedule != Schedule::kResourcePartition) return {};
  if (streams >= clusters) return {static_cast<unsigned>(number % clusters)};
  protocol::ClusterSet set;
  set.insert(static_cast<unsigned>(number * clusters / streams),
             static_cast<unsigned>((number + 1) * clusters / streams - 1));
  return set;
}

session::GridRequest request_of(const workloads::GemmSize& padded, const std::string& kernel) {
  const workloads::GemmSize tile = tile_of(kernel);
  if (padded.m % tile.m != 0 || padded.n % tile.n != 0 || padded.k % tile.k != 0)
    throw input::UserError(
        fmt::format("kernel {} computes tiles of {}; a product of {} is not a multiple "
                    "of them",
                    kernel, tile.text(), padded.text()));
  return {kernel, fmt::format("{}x{}", padded.n / tile.n, padded.m / tile.m), ""};
}

session::StreamStep step_of(Schedule schedule, const TunedProduct& product, const workloads::GemmSize& padded,
                            std::uint64_t available) {
  const bool shared = schedule == Schedule::kGo;
  session::StreamStep step;
  step.kernel = request_of(padded, product.kernels[shared ? protocol::degree_index(available) : 0]);
  if (schedule != Schedule::kGoldyloc && schedule != Schedule::kOracle) return step;
  session::ProductRequest request{padded.m, padded.n, padded.k, {}};
  for (unsigned i = 0; i < protocol::kDegrees; ++i)
    request.kernels[i] = {request_of(padded, product.kernels[i]), product.cycles[i]};
  step.product = request;
  return step;
}

}  // namespace spica::concurrent
