// SPDX-License-Identifier: Apache-2.0
// The unit that the attention kernels use, and polls of it as the published programs of this revision have them: each
// reads mhartid first, from which they make the address of the unit, and a CSR access waits until the warp has nothing
// under way.
#pragma once

#include <matrix_unit.h>

#include "sw/kernels/attention_common/online_softmax.h"

namespace attention {

constexpr unsigned kUnit = 0;

ATTENTION_INLINE unsigned unit_of_hart() {
  unsigned hart;
  __asm__ volatile("csrr %0, 0xF14" : "=r"(hart));
  return kUnit;
}
ATTENTION_INLINE void poll_until_idle() {
  while (matrix_unit_busy(unit_of_hart())) __asm__ volatile("nop");
}
ATTENTION_INLINE void poll_until_loops(unsigned loops) {
  while (*matrix_unit_register(unit_of_hart(), MATRIX_UNIT_LOOPS) > loops) __asm__ volatile("nop");
}

}  // namespace attention
