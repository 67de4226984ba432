// SPDX-License-Identifier: Apache-2.0
// Instructions that the hardware executes silently but the programmer hardly intended: one rule for both modes.
#pragma once

#include <cstdint>

#include "models/protocol/host_queues/work_group.h"
#include "models/simt_core/warp/checks.h"

namespace spica::simt_core {

enum class Lint : std::uint8_t {
  kNone,
  kMaskTooWide,  // tmc, pred: lanes that a warp does not have
  kSpawnTooMany,  // wspawn: more warps than the core has
  kSpawnRunning,  // wspawn: a warp that is still running is redirected
  kBarrierId,  // bar: an id the core does not have
  kBarrierCount,  // bar: 0 warps, or more than the core has
  kCondition,  // split, pred: not 0, but bit 0 is 0; join: not the result of a split
  kLanesDisagree,  // a scalar operand that differs among the active lanes
  kUnknownCsr,
  kReadOnlyCsr,
  kInactiveOperand,  // a CSR write whose value comes from a lane that is not active
  kPartialTensor,  // wmma with inactive lanes
};

/// The lint of a warp-control instruction. `active_warps`: of the core; `warp`: the one that executes it.
Lint odd_control(const Ready& ready, const Params& params, std::uint32_t active_warps, unsigned warp,
                 const protocol::WorkGroup& group);
/// The same for a CSR instruction of a program without a trap handler.
Lint odd_csr(const Ready& ready, const Params& params, const isa::MachineMode& machine,
             const protocol::WorkGroup& group);
/// The same for wmma.
Lint odd_tensor(std::uint32_t mask, const Params& params);

/// The warning. Arguments as above.
GuestError describe(Lint lint, const Ready& ready, const Params& params, std::uint32_t active_warps,
                    unsigned warp);

}  // namespace spica::simt_core
