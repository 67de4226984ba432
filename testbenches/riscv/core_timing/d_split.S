// SPDX-License-Identifier: Apache-2.0
// One load from shared memory whose lanes go one after the other, then many whose lanes could go together.
#include "testbenches/riscv/core_timing/common.h"
#include "testbenches/riscv/core_timing/lanes.inc"
 all8
 prologue
 next_words
 last_lane_late
 li t5,0
 li t6,8
 bar t5,t6
 lw t1,0(s10)
 .rept 10
 lw t1,0(s2)
 lw t2,0(s2)
 lw t3,0(s2)
 lw t4,0(s2)
 .endr
 bar t5,t6
 finish
