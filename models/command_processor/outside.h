// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/packets.h"
#include "models/protocol/host_queues/work_group.h"

namespace spica::command_processor {

/// The queues' interface to the machine.
struct Outside {
  /// Memory accesses; false: no memory at the address.
  std::function<bool(std::uint64_t address, unsigned char* to, unsigned bytes)> read;
  std::function<bool(std::uint64_t address, const unsigned char* from, unsigned bytes)> write;
  std::function<std::vector<std::string>(const protocol::GridLaunch&)> why_not;  // reasons why it cannot run
  std::function<std::uint64_t(const protocol::GridLaunch&)>
      occupancy;  // work groups of the kernel that a cluster holds
  /// A packet of a queue starts: its kernel is launched, or its barrier is passed.
  std::function<void(unsigned queue, std::uint32_t number, const protocol::Packet&)> begins;
};

}  // namespace spica::command_processor
