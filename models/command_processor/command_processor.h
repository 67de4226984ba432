// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/command_processor/queues.h"
#include "models/protocol/command_queues_if.h"
#include "models/protocol/direct_memory.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/reservations.h"
#include "models/protocol/sockets.h"
#include "models/protocol/work_group_if.h"

namespace spica::command_processor {

struct CommandProcessorStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter kernels{*this, "kernels", Unit::kCount, "kernels given to the dispatcher"};
  base::Counter accesses{*this, "accesses", Unit::kCount, "accesses to queues and signals in memory"};
  base::Counter decisions{*this, "decisions", Unit::kCount,
                          "times that it decided how many matrix products run at once"};
  base::Counter busy_cycles{*this, "busy_cycles", Unit::kCycles,
                            "cycles in which it waits for memory or decides"};
  base::Counter kernel_cycles{*this, "kernel_cycles", Unit::kCycles,
                              "sum over kernels: from the launch to the end of the last warp"};
};

/// The command processor: launches kernels from queues in memory. Queues says in which order, CommandProcessorParams when.
///
/// Does     one thing at a time: writes the signals of what has completed, reads heads that have changed, decides how many
///          matrix products run at once, looks at what barriers wait for; and between two of them launches all kernels that may begin
/// Timing   each in so many accesses to memory one after the other, memory_latency cycles of its clock each, which end with
///          a cycle of the machine; a launch takes none. A register is accessed in the cycle after its request and answered
///          then. A kernel's end is seen one cycle later
/// Omits    traffic of its accesses on the system bus: they have a latency of their own
/// Source   arXiv:2409.02227 sections 4.4 and 5.4.2; packets: HSA Platform System Architecture Specification 1.2
class CommandProcessor final : public base::Component,
                               public protocol::Probed,
                               public protocol::CommandQueuesIf,
                               public protocol::ReservationUser,
                               private protocol::GridProgressIf,
                               private protocol::RequestHandler,
                               private protocol::ResponseHandler {
 public:
  CommandProcessor(const sc_core::sc_module_name& name, const CommandProcessorParams& params,
                   const base::ClockDomain& clock);

  sc_core::sc_vector<protocol::TargetSocket> in;  // registers, by cluster
  protocol::InitiatorSocket gmem{"gmem"};
  sc_core::sc_port<protocol::GridLaunchIf> dispatcher{"dispatcher"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_export<protocol::GridProgressIf> progress{"progress"};

  // protocol::CommandQueuesIf
  void start(const protocol::QueueSetup& queue) override;
  void use_model(std::uint32_t address) override { queues_.write(COMMAND_PROCESSOR_MODEL, address); }
  bool empty() const override { return queues_.empty(); }
  protocol::QueueState state(unsigned queue) const override { return queues_.state(queue); }
  const std::vector<protocol::KernelRun>& runs() const override { return queues_.runs(); }

  void share_reservations(protocol::Reservations& reservations) override { reservations_ = &reservations; }
  void tick() override;
  void reset() override;
  bool idle() const override { return queues_.empty() && answers_.empty(); }
  CommandProcessorStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  /// Not saved: gmem, memory_, which have nothing under way; reservations_, which are the machine's.
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return queues_.completed(); }

 private:
  struct Answer {
    protocol::Payload* payload;
    unsigned port;
  };
  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}
  void grid_begun(std::uint32_t kernel) override { queues_.begun(kernel, now()); }
  void grid_given(std::uint32_t kernel) override;
  void grid_ended(std::uint32_t kernel) override;
  Queues::Outside outside();
  void launch_all();

  const CommandProcessorParams params_;
  protocol::DirectMemory memory_{gmem};
  protocol::Reservations* reservations_ = nullptr;
  Queues queues_;
  Step step_ = Step::kNone;  // that is under way
  base::Cycle due_ = 0;  // it ends then
  base::Calendar<Answer> answers_;
  CommandProcessorStats stats_;
};

}  // namespace spica::command_processor
