// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 lw t0,0(s1)
 add t6,t0,t0
 add s3,t6,t0
 .rept 4
 add t1,s3,t3
 add t2,s3,t3
 add t4,s3,t3
 add t5,s3,t3
 .endr
 finish
