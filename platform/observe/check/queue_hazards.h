// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/unit_rules.h"
#include "platform/observe/check/kernel_order.h"
#include "platform/observe/check/memory_hazards.h"

namespace spica::check {

/// The order created by kernel queues: their packets, doorbells and signals, and the words their firmware reads.
class QueueHazards {
 public:
  QueueHazards(const soc::SocParams& params, const protocol::AddressMap& map, Order& order,
               KernelOrder& kernels, MemoryHazards& memory, const protocol::QueueRules& rules);

  /// The agent works for another kernel from now on. Work groups of one kernel on the same agent are ordered.
  void give(unsigned agent, std::uint32_t kernel);
  /// A warp stores to a peripheral, possibly a doorbell.
  void store(unsigned warp, std::uint32_t address);
  void doorbell(const protocol::Origin& by, unsigned queue, std::uint32_t written);
  void packet(unsigned queue, std::uint32_t number, const protocol::Packet& packet);
  void launch(std::uint32_t kernel, const protocol::KernelRun& run) {
    kernels_.launch(kernel, run.queue, run.packet);
  }
  void end(std::uint32_t kernel);
  void firmware(std::uint64_t address, std::uint32_t value, bool store);
  /// The ordering assumptions that the program does not state; "": none.
  std::string note() const;

 private:
  const bool present_;  // the command processor
  const std::uint64_t registers_;  // its first register
  const protocol::AddressMap& map_;
  Order& order_;
  KernelOrder& kernels_;
  MemoryHazards& memory_;
  const protocol::QueueRules& rules_;
  std::map<unsigned, std::deque<Knowledge>> rung_;  // by queue: doorbells of warps in flight
  unsigned host_doorbells_ = 0;  // after the end of some kernel
};

}  // namespace spica::check
