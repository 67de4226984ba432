// SPDX-License-Identifier: Apache-2.0
// A core with its tensor core, and between them a probe that notes when micro-ops and results pass.
#pragma once

#include <cstring>
#include <vector>

#include "models/tensor_core/synchronous/tensor_core.h"
#include "models/tensor_core/synchronous/wmma_unit.h"
#include "testbenches/block/simt_core/core_bench.h"
#include "testbenches/support/wmma_model.h"

namespace spica::testbench {

class TensorProbe final : public sc_core::sc_module,
                          public protocol::TensorCoreIf,
                          public protocol::TensorResultIf {
 public:
  struct Passed {
    Cycle cycle;
    unsigned warp;
    unsigned row;  // accumulator register, f0 = 0
  };

  TensorProbe(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
              protocol::TensorCoreIf& tensor, protocol::TensorResultIf& core)
      : sc_module(name), clock_(clock), tensor_(tensor), core_(core) {}

  std::vector<Passed> issued, results;

  bool room(unsigned warp) const override { return tensor_.room(warp); }
  void multiply(const protocol::TensorMicroOp& op) override { tensor_.multiply(op); }
  void push(const protocol::TensorResult& op, Cycle ready) override {
    issued.push_back({clock_.now(), op.warp, op.result - 32u});
    tensor_.push(op, ready);
  }
  bool write_back(const protocol::TensorResult& op) override {
    if (!core_.write_back(op)) return false;
    results.push_back({clock_.now(), op.warp, op.result - 32u});
    return true;
  }
  void on_room(unsigned warp, Cycle now) override { core_.on_room(warp, now); }

 private:
  const base::ClockDomain& clock_;
  protocol::TensorCoreIf& tensor_;
  protocol::TensorResultIf& core_;
};

/// What a cluster sets. Micro-ops are pushed as they issue.
inline simt_core::Params with_style(simt_core::Params params, isa::TensorStyle style) {
  params.tensor_style = style;
  params.own_tensor_operands = true;
  return params;
}

/// The instruction with rd 0 and with rd 1.
inline constexpr std::uint32_t kWmma0 = 0x0000007B, kWmma1 = 0x000000FB;

/// A core that sends the micro-ops of a warp one per cycle, which shows what else holds them up.
inline simt_core::Params micro_op_per_cycle() {
  simt_core::Params params;
  params.dispatch_interval = 1;
  return params;
}

struct WmmaBench : CoreBench {
  explicit WmmaBench(const tensor_core::TensorCoreParams& t = {},
                     const simt_core::Params& p = micro_op_per_cycle())
      : CoreBench(with_style(p, isa::TensorStyle::kSynchronous), false, isa::SimtStack::make, kGlobalLatency,
                  simt_core::make_tensor_unit<tensor_core::WmmaUnit>()),
        tensor("tensor", t, clock) {
    unit.tensor.bind(probe);
    tensor.result.bind(probe);
    add(tensor);
    add(core);
  }

  void set_fragments(unsigned warp, const FragmentRegisters& f) {
    for (unsigned reg = 0; reg < 32; ++reg)
      std::memcpy(registers(warp).row(32 + reg), f[reg].data(), sizeof f[reg]);
  }
  FragmentRegisters fragments(unsigned warp) {
    FragmentRegisters f;
    for (unsigned reg = 0; reg < 32; ++reg)
      std::memcpy(f[reg].data(), registers(warp).row(32 + reg), sizeof f[reg]);
    return f;
  }
  isa::RegisterFile& registers(unsigned warp) {
    return const_cast<isa::RegisterFile&>(core.warp(warp).registers);
  }
  void reset_all() {
    for (base::Component* block : std::initializer_list<base::Component*>{&instructions, &global, &shared,
                                                                          &peripheral, &tensor, &core})
      block->reset();
  }

  /// From the issue of a first-half micro-op to the issue of one that needs its result, with nothing else in
  /// the tensor core: the second half follows a cycle later, operand stage, entry into the units, pair and
  /// latency, write-back, commit.
  Cycle round_trip() const {
    const auto& t = tensor.params();
    return 1 + params.operand_latency + 1 + (t.pair_cycles - 1 + t.latency) + 1 + params.commit_latency;
  }
  /// From the issue of a micro-op to its result passing the write-back port.
  Cycle to_result() const { return round_trip() - params.commit_latency; }
  /// Cycles of a set of one warp that has the tensor core to itself.
  Cycle set_cycles() const { return std::max<Cycle>(8, round_trip()); }

  tensor_core::TensorCore tensor;
  tensor_core::WmmaUnit& unit = dynamic_cast<tensor_core::WmmaUnit&>(core.tensor_unit());
  TensorProbe probe{"probe", clock, tensor, unit};
};

/// A program whose warps all switch their lanes on, run `body` and end.
inline std::vector<std::uint32_t> on_all_warps(const std::vector<std::uint32_t>& body) {
  using namespace rv;
  std::vector<std::uint32_t> program = {csrrs(5, 0xFC1, 0), lui(6, CoreBench::kCode >> 12),
                                        addi(6, 6, 16),     wspawn(5, 6),
                                        addi(1, 0, 0xFF),   tmc(1)};
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(tmc(0));
  return program;
}
/// The same for warp 0 alone.
inline std::vector<std::uint32_t> on_one_warp(const std::vector<std::uint32_t>& body) {
  using namespace rv;
  std::vector<std::uint32_t> program = {addi(1, 0, 0xFF), tmc(1)};
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(tmc(0));
  return program;
}

}  // namespace spica::testbench
