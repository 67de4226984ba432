// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/pipeline/units/dispatch_buffers.h"

namespace spica {

/// An instruction at `pc` that its unit can take from cycle `ready`.
inline simt_core::Dispatched entry(std::uint32_t pc, base::Cycle ready) {
  simt_core::Dispatched result;
  result.pc = pc;
  result.ready = ready;
  return result;
}

}  // namespace spica
