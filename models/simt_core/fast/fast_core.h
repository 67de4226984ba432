// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/block.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/gate_if.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/loose_time.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/simt_core/core_ports.h"
#include "models/simt_core/core_view.h"
#include "models/simt_core/fast/code_cache.h"
#include "models/simt_core/fast/held_commands.h"
#include "models/simt_core/fast/memories.h"
#include "models/simt_core/fast/round.h"
#include "models/simt_core/fast/running_slice.h"
#include "models/simt_core/fast/tensor_unit.h"
#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/warp/core_state.h"
#include "models/simt_core/warp/ended_warps.h"
#include "models/simt_core/warp/executor.h"

namespace spica::simt_core::fast {

using FastCorePorts = CorePorts<sc_core::sc_module>;

/// A SIMT core of the fast mode: instructions, registers, checks and faults of SimtCore without its pipeline.
///
/// Runs     its warps one after the other, each for a slice of `quantum` instructions, or until it ends, waits at a
///          barrier or polls a value that is not ready
/// Time     one cycle per warp instruction, an estimate
/// Memory   by pointers; registers of peripherals through `mmio`, blocking
/// Loops    frequent instructions run in the loops of loops_code.inc; step() executes all others and can execute any
///          instruction. With a probe or a gate, step() executes everything
class FastCore final : public FastCorePorts,
                       public base::Block,
                       public protocol::Probed,
                       public CoreView,
                       private protocol::ResponseHandler {
 public:
  FastCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
           const protocol::AddressMap& map, protocol::LooseTime& time, const TensorUnitMaker& tensor = {},
           const isa::ControlFlowMaker& control_flow = {});

  protocol::MemoryPort gmem{"gmem"}, smem{"smem"};

  /// Sets the program, in memory of `gmem`. Call before the run, after the memories are bound.
  void connect(CodeCache& code);
  /// Reports stores to global memory that touch [begin, end) immediately; other stores may be reported also.
  void watch_stores(std::uint64_t begin, std::uint64_t end);

  // protocol::BarrierReleaseIf
  void launch(std::uint32_t entry) override;
  void launch_warp(unsigned warp, std::uint32_t pc, std::uint32_t mask,
                   const protocol::WorkGroup& group) override;
  void release(unsigned id, bool without_some) override;

  // base::Block
  void reset() override;
  void dump_state(std::ostream&) const override {}
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

  /// Gives each runnable warp a slice, from cycle `start`; returns the cycles used. Ends early if time.stop is set; the
  /// next call continues there with the same results.
  base::Cycle run_round(base::Cycle start, std::int64_t quantum);
  /// The order of warps from the next round on; ascending by default.
  void set_turns(const std::vector<std::uint8_t>& warps) { round_.set_order(warps); }
  bool can_run() const { return !state_.halted() && state_.running() != 0; }
  /// True if some slice of the last round ended for a reason other than polling.
  bool made_progress() const { return round_.made_progress(); }

  const Params& params() const { return params_; }
  const WarpState& warp(unsigned index) const { return state_[index]; }
  // CoreView
  const CoreIdentity& identity() const override { return identity_; }
  WarpState& warp(unsigned index) override { return state_[index]; }
  std::uint32_t next_pc(unsigned index) const override { return pcs_[index]; }
  void set_pc(unsigned index, std::uint32_t pc) override { pcs_[index] = pc; }
  std::uint32_t running_warps() const override { return state_.active(); }
  std::uint32_t waiting_at_barrier() const override { return state_.at_barrier(); }
  std::string describe_warp(unsigned index) const override;
  bool at_rest() const override { return true; }
  std::uint32_t read_csr(unsigned w, std::uint32_t number, unsigned lane) const override {
    return const_cast<Executor&>(executor_).csr_file(w, time_.now).read(number, lane);
  }
  bool set_csr(unsigned w, std::uint32_t number, std::uint32_t value) override {
    return executor_.csr_file(w, time_.now).set(number, value);
  }
  void guard_stacks(const StackGuard& guard) override;
  void set_gate(protocol::GateIf* gate) override { gate_ = gate; }
  void halt() override { state_.halt(); }
  std::uint64_t warp_instructions() const override { return counts_.warp_instructions; }
  std::uint64_t lane_instructions() const override { return counts_.lane_instructions; }
  std::uint64_t traps() const override { return counts_.traps; }

 private:
  struct Executed {
    bool done;  // false: trapped, or stopped by a fault
    std::uint32_t next;  // pc
    bool jumped;
  };
  void run_slice(unsigned w);
  bool instrumented() const { return probe_ != nullptr || gate_ != nullptr; }
  /// Counts the instructions executed by the loops.
  void account() {
    const std::uint64_t executed = slice_.take_executed();
    counts_.warp_instructions += executed;
    counts_.lane_instructions += executed * slice_.active;
    time_.now += executed;
  }
  Executor::At at(std::uint32_t pc) const { return {slice_.index, pc, slice_.mask, time_.now}; }
  protocol::Origin origin(std::uint32_t pc) const {
    return identity_.origin(slice_.index, pc, slice_.warp->mask());
  }
  bool step();
  bool continues(std::uint32_t pc, const isa::Instruction& instruction);
  Executed execute(const isa::Instruction& instruction, std::uint32_t pc);
  Effect execute_kind(const isa::Instruction& instruction, std::uint32_t pc);
  Executed take_effect(const Effect& effect, std::uint32_t pc);
  Effect execute_async(const isa::Instruction& instruction, std::uint32_t pc);
  void notify_issue(const isa::Instruction& instruction, std::uint32_t pc,
                    const protocol::FragmentAccess* fragment = nullptr);
  void record_float_watch();
  // step_memory.cpp
  Effect execute_memory(const isa::Instruction& instruction, std::uint32_t pc);
  void access_lane(const isa::Instruction& instruction, std::uint32_t pc, unsigned lane,
                   const protocol::PointedMemory& memory, std::uint32_t address, std::uint32_t lanes);
  bool access_peripheral(const isa::Instruction& instruction, std::uint32_t pc, unsigned lane,
                         std::uint32_t address, std::uint32_t lanes);

  void end_of_elaboration() override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}

  const Params params_;
  const CoreIdentity identity_;
  const protocol::AddressMap& map_;
  protocol::LooseTime& time_;
  CodeCache* code_ = nullptr;
  Memories memories_;

  CoreState state_;
  PerformanceCounters performance_;  // unconnected: these counters are not modelled
  struct Counts {
    std::uint64_t warp_instructions = 0, lane_instructions = 0, traps = 0;
  } counts_;
  Executor executor_{params_, identity_, map_, state_, performance_, counts_.lane_instructions};
  EndedWarps ended_warps_;
  std::unique_ptr<TensorUnit> tensor_;
  std::vector<std::uint32_t> pcs_;  // by warp: pc of the next instruction
  std::uint32_t watched_ = 0;  // warps that the code cache treats as MachineMode::watches_floats()
  Round round_;
  RunningSlice slice_;
  const Loops loops_;

  protocol::GateIf* gate_ = nullptr;
  HeldCommands commands_;
  protocol::LinePool pool_;
};

}  // namespace spica::simt_core::fast
