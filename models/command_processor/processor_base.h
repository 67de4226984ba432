// SPDX-License-Identifier: Apache-2.0
// The common part of the command processors of both modes.
#pragma once

#include <functional>
#include <iosfwd>
#include <systemc>

#include "models/command_processor/queues.h"
#include "models/protocol/host_queues/command_queues_if.h"
#include "models/protocol/payload/origin.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/hart_if.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/work_group_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::command_processor {

inline constexpr protocol::Origin kOrigin{protocol::Origin::Unit::kCommandProcessor, 0, 0, 0, 0, 0};

/// Ports, registers, queues, launches and firmware. The module of a mode derives from it, after sc_module, and adds the
/// timing.
///
/// Firmware   if params.firmware names one, its program runs on `hart`, reads and controls the queues by registers
///            (command_processor_regs.h), and replaces the policy. The queues are still read by the block
class ProcessorBase : public protocol::Probed,
                      public protocol::CommandQueuesIf,
                      protected protocol::GridProgressIf,
                      protected protocol::RequestHandler,
                      private protocol::HartBusIf {
 public:
  sc_core::sc_vector<protocol::TargetSocket> in;  // registers, by cluster
  sc_core::sc_port<protocol::GridLaunchIf> dispatcher{"dispatcher"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_export<protocol::GridProgressIf> progress{"progress"};
  /// The processor that runs the firmware, if present, and its way back to this block.
  sc_core::sc_port<protocol::HartIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> hart{"hart"};
  sc_core::sc_export<protocol::HartBusIf> hart_bus{"hart_bus"};

  // protocol::CommandQueuesIf
  void start(const protocol::QueueSetup& queue) override;
  void use_model(std::uint32_t address) override { queues_.write(COMMAND_PROCESSOR_MODEL, address); }
  bool empty() const override { return queues_.empty(); }
  protocol::QueueState state(unsigned queue) const override { return queues_.state(queue); }
  const std::vector<protocol::KernelRun>& runs() const override { return queues_.runs(); }
  bool works() const override { return false; }
  void resume() override {}
  void on_writes(std::function<void()>) override {}

 protected:
  explicit ProcessorBase(const CommandProcessorParams& params);
  ~ProcessorBase() override = default;

  // -- provided by a mode
  /// Reads main memory; false: no memory at the address.
  virtual bool read(std::uint64_t address, unsigned char* to, unsigned bytes) = 0;
  virtual bool write(std::uint64_t address, const unsigned char* from, unsigned bytes) = 0;
  virtual base::Cycle cycle() const = 0;
  /// Something has changed that may require an action.
  virtual void react() = 0;
  virtual void count_launch() {}

  // -- used by a mode
  /// Serves a request to the registers and sets its response status. True: a register was written.
  bool access_registers(protocol::Payload& payload);
  /// Launches all kernels that may start, as the policy or the firmware has decided.
  void launch_all();
  bool has_hart() const { return hart.size() != 0; }
  /// Runs the firmware, if it has something to do, until it sleeps or until cycle `until` of the hart's clock. A
  /// sleeping hart wakes in cycle `now`.
  void run_firmware(base::Cycle now, base::Cycle until);
  /// Reports an invalid packet, if there is one, as a fault of the program.
  void report_problem();
  /// Describes each queue that has packets, one line each.
  void describe(std::ostream& out, const char* name) const;

  // protocol::GridProgressIf, RequestHandler
  void grid_started(std::uint32_t kernel) override { queues_.started(kernel, cycle()); }
  void grid_dispatched(std::uint32_t kernel) override;
  void grid_completed(std::uint32_t kernel) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;

  const CommandProcessorParams params_;
  Queues queues_;
  base::Cycle awake_ = 0;  // in cycles of the hart: since then the firmware has neither slept nor launched

 private:
  Queues::Outside outside();
  void fail(const protocol::Origin& origin, const std::string& detail);
  // protocol::HartBusIf
  void access(protocol::HartAccess& access) override;
  void used(std::uint64_t address, std::uint32_t value) override;
  void perform(protocol::HartAccess& access);
  void access_memory(protocol::HartAccess& access);
  base::Cycle machine_cycle() const override { return cycle(); }
  void hart_may_resume() override { react(); }
};

}  // namespace spica::command_processor
