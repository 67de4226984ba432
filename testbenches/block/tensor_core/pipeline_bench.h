// SPDX-License-Identifier: Apache-2.0
// A tensor core and a stub that plays its core.
#pragma once

#include <deque>
#include <set>
#include <vector>

#include "models/tensor_core/synchronous/tensor_core.h"
#include "testbenches/support/bench.h"

namespace spica::testbench {

/// Plays the core: pushes planned micro-ops in order per warp as soon as there is room, takes results unless
/// told not to.
class CoreStub final : public base::Component, public protocol::TensorResultIf {
 public:
  CoreStub(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
           tensor_core::TensorCore& tensor)
      : Component(name, clock), tensor_(tensor) {}

  struct Result {
    Cycle cycle;
    unsigned warp, row;
    bool operator==(const Result& o) const { return cycle == o.cycle && warp == o.warp && row == o.row; }
  };
  std::vector<Result> results;
  std::vector<Cycle> pushes;
  std::set<Cycle> refuse;  // cycles in which no result is taken

  /// Pairs of `warp`, offered from cycle 1 on.
  void plan(unsigned warp, unsigned pairs) {
    for (unsigned i = 0; i < 2 * pairs; ++i) {
      protocol::TensorMicroOp op{};
      op.warp = static_cast<std::uint8_t>(warp);
      op.lanes = 0xFF;
      op.step = static_cast<std::uint8_t>(i / 2 % 4);
      op.substep = static_cast<std::uint8_t>(i % 2);
      op.result = static_cast<std::uint8_t>(48 + i % 8);
      op.rows = {rows_, rows_, rows_};
      plans_[warp].push_back(op);
    }
    wake_at(1);
  }

  void tick() override {
    bool more = false;
    for (auto& plan : plans_) {
      if (plan.empty()) continue;
      more = true;
      if (!tensor_.room(plan.front().warp)) continue;
      if (plan.front().substep != 0) tensor_.multiply(plan.front());
      tensor_.push(plan.front(), now());
      pushes.push_back(now());
      plan.pop_front();
    }
    if (more) wake_next();
  }
  bool write_back(const protocol::TensorResult& op) override {
    if (refuse.count(now()) != 0) return false;
    results.push_back({now(), op.warp, op.result - 48u});
    return true;
  }
  void on_room(unsigned, Cycle) override {}
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  tensor_core::TensorCore& tensor_;
  alignas(32) std::uint32_t rows_[2 * protocol::kTensorLanes] = {};
  std::deque<protocol::TensorMicroOp> plans_[8];
  base::StatGroup stats_;
};

struct PipelineBench : Bench {
  explicit PipelineBench(const tensor_core::TensorCoreParams& t = {}) : tensor("tensor", t, clock) {
    tensor.result.bind(core);
    add(tensor);
    add(core);
  }
  Cycle reason(tensor_core::DotReason r) {
    tensor.settle_stats();
    return tensor.stats().dot_product.cycles(static_cast<std::size_t>(r));
  }
  /// From the push of a pair's second half to its first result: accepted in the next cycle, enters the units
  /// in the one after.
  Cycle push_to_result() const {
    return 1 + 1 + tensor.params().pair_cycles - 1 + tensor.params().latency + 1;
  }

  tensor_core::TensorCore tensor;
  CoreStub core{"core", clock, tensor};
};

}  // namespace spica::testbench
