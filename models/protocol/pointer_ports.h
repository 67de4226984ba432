// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/invariant.h"
#include "models/protocol/pointed_memory.h"

namespace spica::protocol {

/// A memory of the fast mode, to be reached by a pointer. It stays where it is.
class MemoryExport final : public sc_core::sc_object {
 public:
  explicit MemoryExport(const char* name) : sc_object(name) {}
  MemoryExport(const char* name, const PointedMemory& pointed, std::uint64_t first = 0)
      : sc_object(name), memory(pointed), origin(first) {}

  PointedMemory memory;
  std::uint64_t origin = 0;  // guest address of address 0 of requests: not 0 where they have byte offsets
};

/// Where a block of the fast mode has a socket in the cycle mode: bound while the machine is built, and usable from
/// then on.
class MemoryPort final : public sc_core::sc_object {
 public:
  explicit MemoryPort(const char* name) : sc_object(name) {}

  void bind(const MemoryExport& target) { memory_ = &target.memory; }
  const PointedMemory* operator->() const {
    SPICA_INVARIANT(memory_ != nullptr);
    return memory_;
  }
  const PointedMemory& operator*() const { return *operator->(); }

 private:
  const PointedMemory* memory_ = nullptr;
};

}  // namespace spica::protocol
