// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/isa/instruction.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

/// The memories of a fast-mode core, and the windows through which its loops access them.
class Memories {
 public:
  /// `row`: bytes of a row of words of all lanes.
  void connect(const protocol::MemoryPort& global, const protocol::PointedMemory& shared,
               const protocol::AddressMap& map, std::uint32_t row);
  const protocol::PointedMemory& global() const { return global_; }
  /// Global memory for an access of this instruction, which is recorded if there is a history of them.
  const protocol::PointedMemory& global(std::uint32_t address, const isa::Instruction& instruction) const {
    const bool write = instruction.unit == isa::Unit::kStore || instruction.unit == isa::Unit::kAtomic;
    port_->record(address, instruction.access_bytes, write);
    return global_;
  }
  const protocol::MemoryPort& global_port() const { return *port_; }
  const protocol::PointedMemory& shared() const { return shared_; }
  /// Sets the windows that the loops may currently access. While global memory has a history, step() accesses it.
  void open_windows(Slice& slice) const;

 private:
  const protocol::MemoryPort* port_ = nullptr;  // to global memory
  protocol::PointedMemory global_, shared_;
  Window global_window_, shared_window_;
};

}  // namespace spica::simt_core::fast
