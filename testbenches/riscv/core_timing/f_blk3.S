// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 .rept 40
 nop
 .endr
 sw t0,0(s5)
 fence
 sw t0,0(s0)
 .rept 12
 add t1,t2,t3
 .endr
 finish
