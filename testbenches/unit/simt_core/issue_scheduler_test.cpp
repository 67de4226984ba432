// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/issue_scheduler.h"

#include <vector>

#include "models/simt_core/pipeline/operand_paths.h"
#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::IssueScheduler;
using simt_core::Scheduler;
using simt_core::UnitKind;

namespace {

using Order = std::vector<unsigned>;

/// Who issues in cycles of which in each the same warps can.
Order order(IssueScheduler& scheduler, std::uint32_t warps, unsigned cycles) {
  Order result;
  for (unsigned i = 0; i < cycles; ++i) {
    result.push_back(scheduler.pick(warps));
    scheduler.issued(result.back());
  }
  return result;
}

IssueScheduler started(Scheduler policy, const std::vector<std::uint32_t>& running) {
  IssueScheduler scheduler(policy);
  scheduler.reset();
  for (const std::uint32_t warps : running) scheduler.update(warps);
  return scheduler;
}

}  // namespace

TEST_CASE("round robin takes the next warp behind the last that issued") {
  IssueScheduler scheduler = started(Scheduler::kRoundRobin, {~0u});
  CHECK(order(scheduler, 0x8000'0005, 5) == Order{0, 2, 31, 0, 2});
  CHECK(order(scheduler, 0x1, 2) == Order{0, 0});
}

TEST_CASE("greedy then oldest stays with a warp while it can, then takes the oldest") {
  IssueScheduler scheduler = started(Scheduler::kGto, {0xF});
  CHECK(order(scheduler, 0xE, 3) == Order{1, 1, 1});
  CHECK(order(scheduler, 0xC, 2) == Order{2, 2});
  CHECK(order(scheduler, 0xF, 2) == Order{2, 2});
  CHECK(order(scheduler, 0xB, 2) == Order{0, 0});
}

TEST_CASE("oldest always takes the warp that started first") {
  IssueScheduler scheduler = started(Scheduler::kOldest, {0b1100, 0b1111});
  CHECK(order(scheduler, 0b1111, 2) == Order{2, 2});
  CHECK(order(scheduler, 0b0011, 2) == Order{0, 0});
  CHECK(order(scheduler, 0b1011, 1) == Order{3});
}

TEST_CASE("a warp that ended and starts again is the youngest") {
  IssueScheduler scheduler = started(Scheduler::kOldest, {0b111, 0b110, 0b111});
  CHECK(order(scheduler, 0b111, 1) == Order{1});
  CHECK(order(scheduler, 0b101, 1) == Order{2});
}

TEST_CASE("a step of the tensor core waits for integer and floating-point instructions, and they for it") {
  simt_core::Params params;
  params.lanes = 32;
  params.alu_lanes = 16;
  params.shared_operand_paths = true;
  simt_core::OperandPaths paths(params);
  CHECK(paths.free_for_tensor() == 0);
  paths.take(UnitKind::kAlu, 10);  // two packets
  CHECK_FALSE(paths.free(UnitKind::kAlu, 11));
  CHECK(paths.free(UnitKind::kFpu, 11));  // they have ways of their own
  CHECK(paths.free_for_tensor() == 12);
  paths.take(UnitKind::kFpu, 12);
  CHECK(paths.free_for_tensor() == 13);
  paths.take_for_tensor(15);
  for (const UnitKind kind : {UnitKind::kAlu, UnitKind::kFpu}) {
    CHECK_FALSE(paths.free(kind, 14));
    CHECK(paths.free(kind, 15));
  }
  CHECK(paths.free(UnitKind::kLoadStore, 13));
  CHECK(paths.free_for_tensor() == 13);  // steps do not wait for steps here: the tensor core says when
}
