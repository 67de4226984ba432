// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/memory_hints_if.h"

namespace spica::simt_core {

/// Reports to neighbours of the core the events that affect accesses of its warps (protocol::MemoryHintsIf).
class MemoryHints {
 public:
  explicit MemoryHints(unsigned core) : core_(core) {}
  /// Before the run.
  void connect(std::vector<protocol::MemoryHintsIf*> neighbours) { neighbours_ = std::move(neighbours); }
  /// True if there is a neighbour.
  bool any() const { return __builtin_expect(!neighbours_.empty(), 0); }
  void drain(std::uint32_t warps) const {
    for (auto* to : neighbours_) to->drain(core_, warps);
  }
  void order(std::uint32_t warps) const {
    for (auto* to : neighbours_) to->order(core_, warps);
  }
  void store(unsigned warp) const {
    for (auto* to : neighbours_) to->store(core_, warp);
  }

  /// An access of a load from shared memory has been created; a neighbour may mark it.
  [[gnu::noinline]] void load(const protocol::MemoryHintsIf::Load& load, protocol::WarpAccess& access) const {
    for (auto* to : neighbours_) to->load(load, access);
  }
  /// A load, store or atomic of the warp issues: it may invalidate values that others have loaded.
  [[gnu::noinline]] void issued(unsigned warp, isa::Unit unit, protocol::Route route) const {
    if (unit == isa::Unit::kAtomic || route == protocol::Route::kPeripheral) order(1u << warp);
    else if (unit == isa::Unit::kStore && route == protocol::Route::kShared) store(warp);
  }

 private:
  const unsigned core_;  // number in the cluster
  std::vector<protocol::MemoryHintsIf*> neighbours_;
};

}  // namespace spica::simt_core
