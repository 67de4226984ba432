// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 lw t0,0(s1)
 .rept 8
 mul t0,t0,a2
 .endr
 .rept 8
 div t0,t0,a2
 .endr
 .rept 4
 rem t0,t0,a2
 .endr
 finish
