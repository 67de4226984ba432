// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include "models/protocol/ports/fault_if.h"
#include "models/simt_core/warp/core_state.h"
#include "models/simt_core/warp/csr_file.h"

namespace spica::simt_core {

/// Warns of barriers that a work group passes although warps of it have ended. Once per kernel, whose entry
/// is the address of the warning.
class EndedWarps {
 public:
  /// The warps of `released`, one bit each, have passed a barrier. `without_some`: cores have left it.
  void check(const CoreState& state, const CoreIdentity& identity, std::uint32_t released, bool without_some,
             base::Cycle now, protocol::FaultIf& fault);

 private:
  std::unordered_set<std::uint32_t> warned_;  // entries of kernels
};

}  // namespace spica::simt_core
