// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
m0: lw t0,0(s1)
 add t1,t0,t0
 .rept 16
 add t1,t1,t0
 .endr
 finish
