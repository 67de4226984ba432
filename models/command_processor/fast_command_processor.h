// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/block.h"
#include "models/command_processor/processor_base.h"
#include "models/protocol/transport/loose_time.h"
#include "models/protocol/transport/pointer_ports.h"

namespace spica::command_processor {

/// The command processor of the fast mode: everything it can do happens immediately. Actions started by a host happen
/// in its first turn, as do those of a firmware while a debugger is asked before each instruction.
class FastCommandProcessor final : public sc_core::sc_module, public base::Block, public ProcessorBase {
 public:
  FastCommandProcessor(const sc_core::sc_module_name& name, const CommandProcessorParams& params,
                       const protocol::LooseTime& time);

  protocol::MemoryPort gmem{"gmem"};

  void start(const protocol::QueueSetup& queue) override {
    settling_ = true;  // nothing happens before its turn
    ProcessorBase::start(queue);
    settling_ = false;
    started_ = true;
  }
  bool works() const override;
  void resume() override;
  void on_writes(std::function<void()> action) override { on_writes_ = std::move(action); }

  void reset() override {
    queues_.reset();
    awake_ = 0;
    started_ = false;
  }
  void dump_state(std::ostream& out) const override { describe(out, name()); }
  void architecture(base::Checkpoint& checkpoint) override;
  /// Not saved: on_writes_, which belongs to the machine; settling_, which is over at that point.
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return queues_.completed(); }

 private:
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;

  // ProcessorBase
  bool read(std::uint64_t address, unsigned char* to, unsigned bytes) override;
  bool write(std::uint64_t address, const unsigned char* from, unsigned bytes) override;
  base::Cycle cycle() const override { return time_.now; }
  void react() override { settle(false); }

  void settle(bool in_turn);

  const protocol::LooseTime& time_;
  bool started_ = false;  // a host has started queues since the last turn
  bool settling_ = false;  // a launch may be called recursively
  std::function<void()> on_writes_;
};

}  // namespace spica::command_processor
