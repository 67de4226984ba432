// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/block.h"
#include "models/command_processor/queues.h"
#include "models/protocol/command_queues_if.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/loose_time.h"
#include "models/protocol/pointer_ports.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/sockets.h"
#include "models/protocol/work_group_if.h"

namespace spica::command_processor {

/// The command processor of the fast mode: all it can do happens at once.
class FastCommandProcessor final : public sc_core::sc_module,
                                   public base::Block,
                                   public protocol::Probed,
                                   public protocol::CommandQueuesIf,
                                   private protocol::GridProgressIf,
                                   private protocol::RequestHandler {
 public:
  FastCommandProcessor(const sc_core::sc_module_name& name, const CommandProcessorParams& params,
                       const protocol::LooseTime& time);

  sc_core::sc_vector<protocol::TargetSocket> in;
  protocol::MemoryPort gmem{"gmem"};
  sc_core::sc_port<protocol::GridLaunchIf> dispatcher{"dispatcher"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_export<protocol::GridProgressIf> progress{"progress"};

  void start(const protocol::QueueSetup& queue) override;
  void use_model(std::uint32_t address) override { queues_.write(COMMAND_PROCESSOR_MODEL, address); }
  bool empty() const override { return queues_.empty(); }
  protocol::QueueState state(unsigned queue) const override { return queues_.state(queue); }
  const std::vector<protocol::KernelRun>& runs() const override { return queues_.runs(); }

  void reset() override { queues_.reset(); }
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint&) override { return true; }
  std::uint64_t work_done() const override { return queues_.completed(); }

 private:
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;
  void grid_begun(std::uint32_t kernel) override { queues_.begun(kernel, time_.now); }
  void grid_given(std::uint32_t kernel) override;
  void grid_ended(std::uint32_t kernel) override;
  Queues::Outside outside();
  void settle();
  void launch_all();

  const CommandProcessorParams params_;
  const protocol::LooseTime& time_;
  Queues queues_;
  bool settling_ = false;  // a launch may come back
};

}  // namespace spica::command_processor
