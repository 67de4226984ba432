// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 lw t0,0(s1)
 add t1,t0,x0
 add s0,s0,t1
 .rept 40
 sw t0,0(s0)
 .endr
 finish
