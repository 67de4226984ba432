// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/protocol/packets.h"
#include "models/protocol/work_group.h"

namespace spica::command_processor {

/// What the queues ask of the machine, and tell it.
struct Outside {
  /// Of memory; false where there is none.
  std::function<bool(std::uint64_t address, unsigned char* to, unsigned bytes)> read;
  std::function<bool(std::uint64_t address, const unsigned char* from, unsigned bytes)> write;
  std::function<std::vector<std::string>(const protocol::GridLaunch&)> why_not;  // it cannot run
  std::function<std::uint64_t(const protocol::GridLaunch&)>
      occupancy;  // its work groups that a cluster holds
  /// A packet of a queue begins: its kernel is launched, or its barrier passed.
  std::function<void(unsigned queue, std::uint32_t number, const protocol::Packet&)> begins;
};

}  // namespace spica::command_processor
