// SPDX-License-Identifier: Apache-2.0
// Stores to shared memory whose last lane is a cycle late, and loads from global memory behind them.
#include "testbenches/riscv/core_timing/common.h"
#include "testbenches/riscv/core_timing/lanes.inc"
 all8
 prologue
 next_words
 last_lane_late
 li t5,0
 li t6,8
 bar t5,t6
 .rept 3
 sw t0,0(s11)
 .endr
 .rept 5
 lw t1,0(s0)
 lw t2,0(s0)
 .endr
 bar t5,t6
 finish
