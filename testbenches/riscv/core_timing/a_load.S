// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 add a4,s0,x0
 add a5,s2,x0
 lw t0,0(s1)
 add t1,t0,x0
 .rept 4
 lw t1,0(s0)
 add t2,t1,x0      # use
 .endr
 .rept 4
 lw t1,0(s2)
 add t2,t1,x0
 .endr
 finish
