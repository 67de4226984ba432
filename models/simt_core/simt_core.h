// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/component.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/gate_if.h"
#include "models/protocol/ports/memory_hints_if.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/sockets.h"
#include "models/simt_core/core_area.h"
#include "models/simt_core/core_ports.h"
#include "models/simt_core/core_type.h"
#include "models/simt_core/core_view.h"
#include "models/simt_core/performance_counters_if.h"
#include "models/simt_core/pipeline/commit_stage.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/dispatcher.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/issue_account.h"
#include "models/simt_core/pipeline/issue_stage.h"
#include "models/simt_core/pipeline/scoreboard.h"
#include "models/simt_core/pipeline/warp_flow.h"
#include "models/simt_core/warp/ended_warps.h"

namespace spica::simt_core {

using SimtCorePorts = CorePorts<base::Component>;

/// One SIMT core: fetch, decode, issue and execution of RV32IMAF + SIMT warp instructions.
///
/// Shape    `warps` warps of `lanes` lanes; one fetch and decode per cycle, one issue slot per warp
/// Stages   FrontEnd, IssueStage, Dispatcher with its units, CommitStage; the headers of these classes give the rules
/// Faults   precise (before the instruction has any effect), except for errors that a target returns; the warp's own
///          trap handler takes them, if present, otherwise they are reported through `fault`
/// Omits    the boot ROM: cores start at the ELF entry (D2).   Source vortex core/
class SimtCore final : public SimtCorePorts,
                       public protocol::Probed,
                       public protocol::LineProfiled,
                       public PerformanceCountersIf,
                       public CoreView,
                       private protocol::ResponseHandler {
 public:
  SimtCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
           const protocol::AddressMap& map, const base::ClockDomain& clock,
           const TensorUnitMaker& tensor = {}, const isa::ControlFlowMaker& control_flow = {});

  protocol::InitiatorSocket icache{"icache"};
  protocol::WarpInitiatorSocket gmem{"gmem"};
  protocol::WarpInitiatorSocket smem{"smem"};
  /// Blocks that are notified of events that affect the memory accesses of the warps.
  sc_core::sc_port<protocol::MemoryHintsIf, 0, sc_core::SC_ZERO_OR_MORE_BOUND> hints{"hints"};
  sc_core::sc_export<protocol::LaunchIf> launch_port{"launch"};
  /// To a second source of instructions for the floating-point lanes, if present.
  sc_core::sc_port<protocol::LaneStreamIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> lanes{"lanes"};

  void launch(std::uint32_t entry) override;
  void launch_warp(unsigned warp, std::uint32_t pc, std::uint32_t mask,
                   const protocol::WorkGroup& group) override;
  // protocol::BarrierReleaseIf
  void release(unsigned id, bool without_some) override {
    ended_warps_.check(core_.state, core_.identity, flow_.release(id), without_some, now(), *bound(fault));
  }

  void tick() override;
  void reset() override;
  bool idle() const override;
  CoreStats& stats() override;
  const base::BlockType& type() const override { return core_type(); }
  base::AreaTerms area() const override { return core_area(core_.params); }
  base::Properties properties() const override;
  void catch_up() override { core_.stats.catch_up(now()); }
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  // Not saved: stages_, a set of references; ended_warps_, whose warnings are kept once.
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

  PerformanceCounters& performance() override { return core_.performance; }

  const Params& params() const { return core_.params; }
  TensorUnit& tensor_unit() { return units_.tensor(); }
  const WarpState& warp(unsigned index) const { return core_.state[index]; }
  // CoreView
  const CoreIdentity& identity() const override { return core_.identity; }
  WarpState& warp(unsigned index) override { return core_.state[index]; }
  std::uint32_t running_warps() const override { return core_.state.active(); }
  std::uint32_t waiting_at_barrier() const override { return core_.state.at_barrier(); }
  std::string describe_warp(unsigned index) const override;
  std::uint32_t next_pc(unsigned index) const override;
  void set_pc(unsigned index, std::uint32_t pc) override;
  bool at_rest() const override;
  std::uint32_t read_csr(unsigned w, std::uint32_t number, unsigned lane) const override;
  bool set_csr(unsigned w, std::uint32_t number, std::uint32_t value) override;
  void guard_stacks(const isa::StackGuard& guard) override { core_.executor.guard_stacks(guard); }
  void set_gate(protocol::GateIf* gate) override { issue_.set_gate(gate); }
  void halt() override { core_.state.halt(); }
  std::uint64_t warp_instructions() const override { return counted().warp_instructions.value(); }
  std::uint64_t traps() const override { return counted().traps.value(); }
  std::uint64_t lane_instructions() const override { return counted().thread_instructions.value(); }
  std::uint64_t work_done() const override { return counted().tensor.value(); }

  // protocol::LineProfiled: by program counter
  void start_profile() override { core_.watchers.start_profile(now()); }
  const PcProfile* profile() const override { return core_.watchers.profile(); }

 private:
  /// Updates counters that lag; otherwise no effect.
  const CoreStats& counted() const { return const_cast<SimtCore*>(this)->stats(); }
  void end_of_elaboration() override;
  void probe_changed() override { core_.watchers.set_probe(probe_); }
  void restart();
  base::Cycle next_tick() const;
  // protocol::ResponseHandler of the icache socket
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  Context core_;
  Scoreboard scoreboard_;
  FrontEnd front_end_{core_, icache};
  IssueAccount account_{core_, front_end_, scoreboard_, units_};
  CommitStage commit_{core_, front_end_, scoreboard_};
  WarpFlow flow_;
  EndedWarps ended_warps_;
  PendingAccesses accesses_;
  OperandLines lines_;
  OperandPaths paths_{core_.params};
  Stages stages_{core_, scoreboard_, commit_, flow_, account_, accesses_, lines_, paths_};
  Dispatcher units_;
  IssueStage issue_{stages_, front_end_, units_};
};

}  // namespace spica::simt_core
