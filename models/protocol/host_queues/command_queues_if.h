// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"

namespace spica::protocol {

/// Implemented by the command processor, for a host that does not use its registers.
class CommandQueuesIf : public virtual sc_core::sc_interface {
 public:
  /// Sets the registers of a queue and rings its doorbell, without simulated time.
  virtual void start(const QueueSetup& queue) = 0;
  /// Sets the address of the ConcurrencyModel in memory, for the policy `predicted`.
  virtual void use_model(std::uint32_t address) = 0;
  /// True when all packets have completed.
  virtual bool empty() const = 0;
  virtual QueueState state(unsigned queue) const = 0;
  /// All kernels so far, in the order of their launches.
  virtual const std::vector<KernelRun>& runs() const = 0;
  /// Fast mode: true if work is left for its next turn: queues that a host has started, or a firmware that has not
  /// ended.
  virtual bool works() const = 0;
  virtual void resume() = 0;
  /// Calls `tell` when a register has been written, possibly while no core has a turn.
  virtual void on_writes(std::function<void()> tell) = 0;
  /// Calls `tell` when a kernel has been launched or has ended, with runs() up to date.
  void on_launches(std::function<void()> tell) { launches_changed_ = std::move(tell); }

 protected:
  std::function<void()> launches_changed_;  // empty: nothing follows launches
};

}  // namespace spica::protocol
