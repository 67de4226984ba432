// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/base/count_bits.h"
#include "models/protocol/accelerator_if.h"
#include "models/protocol/address_map.h"
#include "models/protocol/barrier_if.h"
#include "models/protocol/decoupled_tensor_if.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/gate_if.h"
#include "models/protocol/launch_if.h"
#include "models/protocol/marker_if.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/sockets.h"
#include "models/protocol/tensor_if.h"
#include "models/simt_core/core_stats.h"
#include "models/simt_core/load_store_unit.h"
#include "models/simt_core/pc_profile.h"
#include "models/simt_core/performance_counters.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/issue_account.h"
#include "models/simt_core/pipeline/scoreboard.h"
#include "models/simt_core/pipeline/units.h"
#include "models/simt_core/pipeline/write_back.h"
#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/warp.h"
#include "models/simt_core/warp/core_state.h"
#include "models/simt_core/warp/executor.h"

namespace spica::simt_core {

/// One SIMT core: fetch, decode, issue and execution of RV32IMAF + SIMT warp instructions.
///
/// Shape    `warps` warps of `lanes` lanes; one fetch and decode per cycle, one issue slot per warp
/// Fetch    round robin over warps that run, have room in their instruction buffer and whose last
///          instruction is decoded (and, for control flow, CSR and warp control, resolved)
/// Issue    in order per warp when the scoreboard is free of its registers and its unit's dispatch buffer
///          has room. Registers are read and ALU/FPU results computed at issue; dependents wait until the
///          unit's latency has passed. Warp control acts when the unit takes it, loads write at response.
/// Order    a barrier, wspawn and the end of a warp issue when the warp's memory accesses are done
///          (`barrier_waits_for_memory`, deviation D118)
/// Tensor   a tensor instruction issues as micro-ops, one per cycle and warp, each when the scoreboard is
///          free of its rows and the tensor core has room; operands of all lanes count, active or not,
///          results go to the active lanes. For a decoupled tensor core an instruction issues as a whole; in
///          cycles in which that core reads accumulators nothing issues
/// Faults   precise (before the instruction has any effect) except for errors answered by a target; the
///          warp's own trap handler takes them where it has one, else they are reported through `fault`
/// Omits    the boot ROM: cores start at the ELF entry (D2).   Source vortex core/
class SimtCore final : public base::Component,
                       public protocol::Probed,
                       public protocol::LaunchIf,
                       public protocol::BarrierReleaseIf,
                       public protocol::TensorResultIf,
                       public protocol::TensorRegistersIf,
                       private protocol::ResponseHandler,
                       private LoadStoreUnit::Client {
 public:
  SimtCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
           const protocol::AddressMap& map, const base::ClockDomain& clock);

  protocol::InitiatorSocket icache{"icache"};
  protocol::InitiatorSocket gmem{"gmem"};
  protocol::InitiatorSocket smem{"smem"};
  protocol::InitiatorSocket mmio{"mmio"};
  sc_core::sc_port<protocol::BarrierIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> barrier{"barrier"};
  sc_core::sc_port<protocol::AcceleratorIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> accelerator{"accelerator"};
  /// At most one of the two is bound; the instructions of the other one are illegal.
  sc_core::sc_port<protocol::TensorCoreIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> tensor{"tensor"};
  sc_core::sc_port<protocol::DecoupledTensorIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> decoupled_tensor{
      "decoupled_tensor"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::MarkerIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> marker{"marker"};
  sc_core::sc_export<protocol::LaunchIf> launch_port{"launch"};
  sc_core::sc_export<protocol::BarrierReleaseIf> release_port{"release"};
  sc_core::sc_export<protocol::TensorResultIf> tensor_result{"tensor_result"};
  sc_core::sc_export<protocol::TensorRegistersIf> tensor_registers{"tensor_registers"};

  // protocol::LaunchIf
  void launch(std::uint32_t entry) override;
  // protocol::BarrierReleaseIf
  void release(unsigned id) override;
  // protocol::TensorResultIf
  bool write_back(const protocol::TensorResult& row) override;
  void on_room(unsigned warp) override;
  // protocol::TensorRegistersIf
  void read_accumulator(unsigned warp, unsigned f, protocol::TensorRow& row) override;
  void on_port_free() override { wake_now(); }
  bool write_accumulator(unsigned warp, unsigned f, const protocol::TensorRow& row, bool last) override;
  void on_begun(const protocol::Origin& origin) override;

  void tick() override;
  void reset() override;
  bool idle() const override;
  CoreStats& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override;

  /// For the owner of the memory system: counters of class 2.
  PerformanceCounters& performance() { return performance_; }

  // -- for reports and debuggers: no time passes
  const Params& params() const { return params_; }
  const CoreIdentity& identity() const { return identity_; }
  const WarpState& warp(unsigned index) const { return state_[index]; }
  std::uint32_t running_warps() const { return state_.active(); }
  std::uint32_t waiting_at_barrier() const { return state_.at_barrier(); }
  /// What warp `index` is doing, in a few words.
  std::string describe_warp(unsigned index) const;
  /// Asks `gate` before each instruction, from now on; nullptr: none. Warps it has held ask again.
  void set_gate(protocol::GateIf* gate);
  WarpState& warp(unsigned index) { return state_[index]; }
  /// The instruction that warp `index` executes next.
  std::uint32_t next_pc(unsigned index) const;
  /// Lets the warp continue there; while the core is at rest.
  void set_pc(unsigned index, std::uint32_t pc);
  /// No instruction is under way, from issue to commit and, for stores, to the memory.
  bool at_rest() const;
  /// A control and status register as an instruction of that lane would read it.
  std::uint32_t read_csr(unsigned w, std::uint32_t number, unsigned lane) const;
  /// Writes one of the registers that hold state of the warp; false for all others.
  bool set_csr(unsigned w, std::uint32_t number, std::uint32_t value);
  /// Looks for overflows of these stacks from now on.
  void guard_stacks(const StackGuard& guard) { executor_.guard_stacks(guard); }
  /// Counts by program counter from now on.
  void start_profile() { profile_ = std::make_unique<PcProfile>(now()); }
  /// Null when not requested.
  const PcProfile* profile() const { return profile_.get(); }

 private:
  void decode();
  /// A warp may have an instruction to issue.
  bool can_try() const { return scoreboard_.unblocked(front_end_.buffered()) != 0; }
  // issue.cpp
  void issue();
  bool try_issue(unsigned w, const Fetched& fetched);
  bool lets_others_go_on(unsigned w, const isa::Instruction& instruction) const;
  bool waits_for_memory(unsigned w, const isa::Instruction& instruction);
  /// A warp that would issue must try in that very cycle: a debugger is asked, or the register port may be taken.
  bool every_cycle_counts() const { return gate_ != nullptr || decoupled_tensor_ != nullptr; }
  void tell_issue(unsigned w, const Fetched& fetched, std::uint32_t mask);
  // issue_memory.cpp
  bool try_issue_memory(unsigned w, const Fetched& fetched);
  protocol::WarpPayload& add_request(unsigned w, const Fetched& fetched, unsigned slot,
                                     protocol::Route route);
  void add_rows(unsigned w, const Fetched& fetched, unsigned slot, protocol::Route route,
                std::uint32_t lanes);
  const protocol::Region& add_lanes(unsigned w, const Fetched& fetched, unsigned slot, std::uint32_t lanes);
  void add_bytes(unsigned w, const Fetched& fetched, unsigned slot, protocol::Route route);
  void take_byte(unsigned slot, const protocol::WarpAccess& access);
  void profile_lanes(const Fetched& fetched, protocol::Route route, std::uint32_t lanes);
  // issue_tensor.cpp
  bool try_issue_tensor(unsigned w, const Fetched& fetched);
  bool tensor_waits(unsigned w, const TensorSequencer::MicroOp& next);
  // issue_decoupled_tensor.cpp
  bool try_issue_decoupled_tensor(unsigned w, const Fetched& fetched);
  void pass_accumulator_rows();
  bool third_port_taken() const { return third_port_taken_ == now(); }
  // execute.cpp
  void run(const Units::Taken& taken);
  void execute_warp_control(unsigned w, const Dispatched& entry, base::Cycle due);
  void come_to_barrier(unsigned w, bool complete);
  void start_warps(unsigned w, std::uint32_t active_before, const Effect& effect);
  void complete(unsigned w, const Dispatched& entry, base::Cycle due, bool unlocks_fetch);
  void commit(const Completion& completion);
  // trap.cpp
  bool refused(const Effect& effect, unsigned w, std::uint32_t pc);
  void redirect(unsigned w, std::uint32_t pc);
  // debug.cpp
  bool pass_gate(unsigned w, const Fetched& fetched);
  void note_float_watch(unsigned w) {
    const std::uint32_t bit = 1u << w;
    float_watch_ = state_[w].machine.watches_floats() ? float_watch_ | bit : float_watch_ & ~bit;
  }

  // performance_counters.cpp
  void connect_pipeline_counters();
  bool counts_latency() const { return params_.mpm_class == PerformanceCounters::kPipeline; }
  // simt_core.cpp
  void end_of_elaboration() override;
  base::Cycle next_tick() const;
  Executor::At at(unsigned w, std::uint32_t pc) const { return {w, pc, state_[w].simt.mask(), now()}; }
  protocol::Origin origin(unsigned w, std::uint32_t pc, std::uint32_t lanes) const {
    return identity_.origin(w, pc, lanes);
  }

  // protocol::ResponseHandler of the icache socket
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;
  // LoadStoreUnit::Client
  void on_load_data(unsigned slot, const protocol::WarpAccess& access) override;
  void on_memory_done(unsigned slot) override;
  void on_access_error(const protocol::Payload& payload) override;
  void on_memory_event() override {
    memory_due_ = now();
    wake_now();
  }
  void on_memory_quiet(unsigned warp) override {
    scoreboard_.wake(warp);
    wake_now();
  }

  // Rarely touched
  const Params params_;
  PerformanceCounters performance_;
  CoreStats stats_;
  std::unique_ptr<PcProfile> profile_;
  // Only with mpm_class 1:
  std::uint64_t load_cycles_ = 0;  // from issue to the last lane's data, sum over loads and atomics
  struct AccumulatorRow {
    std::uint8_t warp;
    bool last;  // of an instruction
    base::Cycle due;
  };

  // What every cycle touches, side by side. One bit per warp:
  alignas(64) std::uint32_t tensor_full_ = 0;  // the tensor core has no room for another micro-op
  base::Cycle memory_due_ = base::kNever;  // of the load/store unit

  CoreState state_{params_};
  std::array<Warp, 32> warps_;
  protocol::GateIf* gate_ = nullptr;  // nullptr: no debugger
  protocol::TensorCoreIf* tensor_ = nullptr;  // what `tensor` is bound to
  protocol::DecoupledTensorIf* decoupled_tensor_ = nullptr;  // what `decoupled_tensor` is bound to
  base::Cycle third_port_taken_ = base::kNever;  // by an accumulator read, last cycle
  unsigned tensor_rows_ = 0;  // micro-ops issued and not yet written back
  std::uint64_t committed_threads_ = 0;  // minstret
  std::uint32_t float_watch_ = 0;  // one bit per warp: MachineMode::watches_floats()

  const CoreIdentity identity_;
  const protocol::AddressMap& map_;
  protocol::AddressMap::Stretch stretch_;  // where the last memory instruction went
  base::BoundedQueue<AccumulatorRow> accumulator_rows_;  // on their way through the write-back port
  base::Calendar<unsigned> barrier_requests_;  // ids on their way to the synchronizer
  Executor executor_{params_, identity_, map_, state_, performance_, committed_threads_};
  FrontEnd front_end_{params_, identity_, map_, state_, icache, stats_, {probe_, profile_}};
  Scoreboard scoreboard_;
  Units units_{params_};
  WriteBack write_back_;
  LoadStoreUnit load_store_;
  IssueAccount account_{identity_, state_, front_end_, scoreboard_, load_store_, stats_, {probe_, profile_}};
};

}  // namespace spica::simt_core
