// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/assembly/assembly.h"
#include "models/protocol/host_queues/command_queues_if.h"
#include "models/protocol/ports/console_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/hosted_if.h"
#include "models/protocol/ports/work_group_if.h"
#include "models/simt_core/core_view.h"
#include "platform/machine/soc/foreign_clock.h"
#include "platform/machine/soc/host_side.h"
#include "platform/machine/soc/machine.h"
#include "platform/machine/soc/past_accesses.h"
#include "platform/machine/soc/probe_hub.h"

namespace spica::host_port {
class HostPort;
}

namespace spica::simt_core::fast {
class Hart;
}

namespace spica::soc {

/// Instructions executed by a core; `traps`: entries into the program's own handler.
struct CoreCounts {
  unsigned core;
  std::uint64_t warp_instructions, lane_instructions, traps;
};

/// The part of a machine that both modes share: its plan, its blocks and their view for tools. The owner binds `fault`
/// and `console`.
class AssembledMachine : public sc_core::sc_module, public Machine, protected protocol::HostedIf {
 public:
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};
  PastAccesses past{*this};  // of the fast mode; part of the state

  ~AssembledMachine() override = default;

  /// All blocks, by name and type.
  const assembly::Assembly& blocks() const { return *blocks_; }
  const assembly::Plan& plan() const { return plan_; }
  /// The user-supplied blocks among them.
  std::vector<base::Component*> foreign_components() const;
  bool any_warp_running() const;
  /// A block's name within the machine: "cluster_0.core_1".
  std::string short_name(const sc_core::sc_object& block) const;
  /// Of each core.
  std::vector<CoreCounts> core_counts() const;
  /// Access for a host in the same simulation; requires host.present.
  HostSide host();

  // Machine; `source` in events numbers the reporting blocks in the order of the plan
  const SocParams& params() const override { return params_; }
  const protocol::AddressMap& map() const override { return map_; }
  base::ClockDomain& clock() override { return clock_; }
  unsigned core_count() const override { return static_cast<unsigned>(cores_.size()); }
  unsigned view_count() const override { return static_cast<unsigned>(views_.size()); }
  protocol::Region firmware_memory() const override;
  void load_firmware(const loader::Program& program) override;
  WarpView warp_view(unsigned core, unsigned warp) override;
  void set_pc(unsigned core, unsigned warp, std::uint32_t pc) override;
  bool at_rest() const override;
  std::uint32_t read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const override;
  bool write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) override;
  std::string describe_warp(unsigned core, unsigned warp) const override;
  void watch(protocol::ProbeIf& probe) override;
  void unwatch(protocol::ProbeIf& probe) override;
  std::string source_name(unsigned source) const override { return sources_[source].name; }
  unsigned unit_of_source(unsigned source) const override { return sources_[source].unit; }
  std::uint64_t work_done() const override;
  bool units_idle() const override;
  std::vector<OpenBarrier> open_barriers() const override;
  std::string describe_blocks(const std::string& kind) const override;
  void set_gate(protocol::GateIf* gate) override;
  std::string describe_work_groups() const override;
  void launch(std::uint32_t entry) override;
  void launch(const protocol::GridLaunch& grid) override;
  void launch(const std::vector<protocol::QueueSetup>& queues, std::uint32_t model) override;
  const std::vector<protocol::KernelRun>& kernel_runs() const override;
  std::vector<protocol::QueueState> queue_states() const override;
  void reset() override;
  void halt() override;
  void guard_stacks(const isa::StackGuard& guard) override;
  std::uint64_t warp_instructions() const override;
  std::uint64_t traps() const override;
  std::uint64_t lane_instructions() const override;
  MachineState save() override;
  void restore(const MachineState& state) override;

 protected:
  /// Saves or loads the state that belongs to no block. Throws UserError if it cannot be saved.
  virtual void own_state(base::Checkpoint& checkpoint) = 0;
  /// Called after loading a state of the same mode.
  virtual void continue_from_state() = 0;
  /// Called after loading a state of the fast mode in the cycle mode: measurement starts here.
  virtual void begin_here() {}
  /// `period`: replaces clock_mhz; SC_ZERO_TIME: not given.
  AssembledMachine(const sc_core::sc_module_name& name, const SocParams& params,
                   const sc_core::sc_time& period, protocol::LooseTime* time);

  /// Builds the machine. Call in the constructor of the mode, after creating everything that the plan links to.
  void assemble(assembly::Mode mode);
  /// Adds the blocks with timing to the clocks, after those already added.
  void start_clocks() { blocks_->add_to(clock_); }
  const assembly::BuildContext& build_context() const { return build_context_; }
  /// nullptr if there is none.
  base::Component* host_port() const;
  /// nullptr if there is none.
  protocol::CommandQueuesIf* command_processor() const { return command_processor_; }
  /// Pointer into the memory of the firmware; nullptr: the address is elsewhere.
  unsigned char* firmware_place(std::uint64_t address, std::uint64_t bytes) const;
  void firmware_written() const;
  /// True if queues have packets that have not completed.
  bool queued() const { return command_processor_ != nullptr && !command_processor_->empty(); }

 private:
  /// A block that reports events to observers.
  struct Source {
    std::string name;
    protocol::Probed* block;
    unsigned unit;
  };

  void add_clocks();

  // protocol::HostedIf; launch, reset, halt, ended and look_again are the machine's
  std::uint32_t exit_code() const override;

  sc_core::sc_export<protocol::HostedIf> hosted_{"machine"};
  const SocParams params_;
  const protocol::AddressMap map_;
  base::ClockDomain clock_;  // clock of the cores; leads the others
  std::vector<std::unique_ptr<base::ClockDomain>> other_clocks_;
  std::optional<ForeignClock> foreign_clock_;
  const assembly::Plan plan_;
  assembly::BuildContext build_context_;
  std::optional<assembly::Assembly> blocks_;
  std::vector<simt_core::CoreView*> cores_;
  std::vector<simt_core::CoreView*> views_;  // views of the cores and of the command processor's hart
  simt_core::fast::Hart* hart_ = nullptr;  // nullptr: none
  protocol::GridLaunchIf* dispatcher_ = nullptr;  // nullptr: none
  protocol::CommandQueuesIf* command_processor_ = nullptr;  // nullptr: none
  host_port::HostPort* host_port_ = nullptr;
  std::vector<Source> sources_;
  ProbeHub probes_;
};

}  // namespace spica::soc
