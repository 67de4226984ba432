// SPDX-License-Identifier: Apache-2.0
// Loads of one warp from shared memory: all lanes on their own words, then each on that of the next lane, alone each time.
#include "testbenches/riscv/core_timing/common.h"
#include "testbenches/riscv/core_timing/lanes.inc"
 prologue
 next_words
 lw t0,0(s2)
 add t1,t0,x0
 lw t0,0(s10)
 add t1,t0,x0
 lw t0,0(s10)
 add t1,t0,x0
 finish
