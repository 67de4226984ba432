// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 lw t0,0(s1)
 add s3,t0,t0
 add s0,s0,s3
 .rept 6
 sw t0,0(s0)
 add t1,s3,t3
 .endr
 finish
