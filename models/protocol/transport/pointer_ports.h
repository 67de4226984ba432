// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/invariant.h"
#include "models/protocol/transport/access_history.h"
#include "models/protocol/transport/pointed_memory.h"

namespace spica::protocol {

/// A memory of the fast mode that is accessed through a pointer. It does not move.
class MemoryExport final : public sc_core::sc_object {
 public:
  explicit MemoryExport(const char* name) : sc_object(name) {}
  MemoryExport(const char* name, const PointedMemory& pointed, std::uint64_t first = 0)
      : sc_object(name), memory(pointed), origin(first) {}

  PointedMemory memory;
  std::uint64_t origin = 0;  // guest address of request address 0; not 0 if requests carry byte offsets
};

/// The fast-mode counterpart of an initiator socket: bound while the machine is built, usable afterwards.
class MemoryPort final : public sc_core::sc_object {
 public:
  explicit MemoryPort(const char* name) : sc_object(name) {}

  void bind(const MemoryExport& target) { memory_ = &target.memory; }
  bool bound() const { return memory_ != nullptr; }
  const PointedMemory* operator->() const {
    SPICA_INVARIANT(memory_ != nullptr);
    return memory_;
  }
  const PointedMemory& operator*() const { return *operator->(); }

  /// The owner reports its accesses by record() from now on; in `history` it is this requester.
  void record_in(AccessHistory& history, unsigned requester) {
    history_ = &history;
    requester_ = requester;
  }
  bool recorded() const { return history_ != nullptr; }
  void record(std::uint64_t address, std::uint64_t bytes, bool write) const {
    if (history_ != nullptr) history_->record(requester_, address, bytes, write);
  }

 private:
  const PointedMemory* memory_ = nullptr;
  AccessHistory* history_ = nullptr;  // nullptr: none
  unsigned requester_ = 0;
};

}  // namespace spica::protocol
