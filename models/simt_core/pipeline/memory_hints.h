// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/memory_hints_if.h"

namespace spica::simt_core {

/// Tells neighbours of the core what bears on accesses of its warps (protocol::MemoryHintsIf).
class MemoryHints {
 public:
  explicit MemoryHints(unsigned core) : core_(core) {}
  /// Before the run.
  void connect(std::vector<protocol::MemoryHintsIf*> neighbours) { neighbours_ = std::move(neighbours); }
  /// A neighbour hears of it.
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

 private:
  const unsigned core_;  // number in the cluster
  std::vector<protocol::MemoryHintsIf*> neighbours_;
};

}  // namespace spica::simt_core
