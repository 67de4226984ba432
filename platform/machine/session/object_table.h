// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/host_queues/packets.h"
#include "platform/machine/soc/machine.h"

namespace spica::session {

/// Kernel objects in a range of memory.
class ObjectTable {
 public:
  ObjectTable(soc::Machine& machine, std::uint32_t base, std::uint32_t count)
      : machine_(machine), base_(base), count_(count) {}

  /// Writes the object to memory. Returns its address. Throws UserError if the table is full.
  std::uint32_t add(const protocol::KernelObject& object);
  void remove(std::uint32_t address) { free_.push_back(address); }

 private:
  soc::Machine& machine_;
  const std::uint32_t base_, count_;
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> free_;  // addresses
};

}  // namespace spica::session
