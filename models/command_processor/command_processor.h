// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/command_processor/processor_base.h"
#include "models/protocol/payload/reservations.h"
#include "models/protocol/transport/direct_memory.h"

namespace spica::command_processor {

struct CommandProcessorStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter kernels{*this, "kernels", Unit::kCount, "kernels launched on the dispatcher"};
  base::Counter accesses{*this, "accesses", Unit::kCount, "accesses to queues and signals in memory"};
  base::Counter decisions{*this, "decisions", Unit::kCount,
                          "decisions about the number of concurrent matrix products"};
  base::Counter busy_cycles{*this, "busy_cycles", Unit::kCycles, "cycles of memory accesses and decisions"};
  base::Counter firmware_cycles{*this, "firmware_cycles", Unit::kCycles,
                                "cycles of its clock in which the firmware was awake"};
  base::Counter kernel_cycles{*this, "kernel_cycles", Unit::kCycles,
                              "sum over kernels: from the launch to the end of the last warp"};
};

/// The command processor: launches kernels from queues in memory. Queues defines the order, CommandProcessorParams the
/// timing.
///
/// Does     one task at a time: writing signals of completed packets, reading heads that have changed, deciding how
///          many matrix products run at once, polling what barriers wait for. Between two tasks it launches all kernels
///          that may start. A firmware decides and launches in parallel to these tasks
/// Timing   a task is a sequence of memory accesses of memory_latency cycles of its clock each, rounded up to a cycle
///          of the machine; a launch takes no time. A register is accessed and answered in the cycle after its request.
///          The end of a kernel is seen one cycle later. Actions of a firmware in a cycle of its clock take effect in
///          the first machine cycle that starts after it
/// Omits    the traffic of its accesses on the system bus: they have a latency of their own
/// Source   arXiv:2409.02227 sections 4.4 and 5.4.2; packets: HSA Platform System Architecture Specification 1.2
class CommandProcessor final : public base::Component,
                               public ProcessorBase,
                               public protocol::ReservationUser,
                               private protocol::ResponseHandler {
 public:
  CommandProcessor(const sc_core::sc_module_name& name, const CommandProcessorParams& params,
                   const base::ClockDomain& clock);

  protocol::InitiatorSocket gmem{"gmem"};

  void share_reservations(protocol::Reservations& reservations) override { reservations_ = &reservations; }
  void tick() override;
  void reset() override;
  bool idle() const override { return queues_.empty() && answers_.empty(); }
  CommandProcessorStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override { describe(out, name()); }
  void architecture(base::Checkpoint& checkpoint) override;
  /// Not saved: gmem, memory_, which have nothing in flight; reservations_, which belong to the machine.
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return queues_.completed(); }

 private:
  struct Answer {
    protocol::Payload* payload;
    unsigned port;
  };
  bool on_request(unsigned port, protocol::Payload& payload) override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}
  void grid_completed(std::uint32_t kernel) override;

  // ProcessorBase
  bool read(std::uint64_t address, unsigned char* to, unsigned bytes) override {
    return memory_.read(address, to, bytes);
  }
  bool write(std::uint64_t address, const unsigned char* from, unsigned bytes) override;
  base::Cycle cycle() const override { return now(); }
  void react() override { wake_next(); }
  void count_launch() override { ++stats_.kernels; }

  void take_steps();
  void tick_firmware();

  protocol::DirectMemory memory_{gmem};
  protocol::Reservations* reservations_ = nullptr;
  Step step_ = Step::kNone;  // the step in progress
  base::Cycle due_ = 0;  // end of the step
  /// counting starts here: after a checkpoint of the fast mode, at the time of the checkpoint
  base::Cycle counted_from_ = 0;
  bool hart_is_late_ = false;  // its clock is that of the fast mode
  base::Calendar<Answer> answers_;
  CommandProcessorStats stats_;
};

}  // namespace spica::command_processor
