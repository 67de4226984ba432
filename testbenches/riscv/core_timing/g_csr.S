// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 bnez s3,2f
 lw t0,0(s1)       # warp 0: 300 cycles
 csrr t1,0xCC0     # drains
 j 3f
2: .rept 12
 nop
 .endr
 csrr t2,0xCC0     # other warps: nothing of theirs pending
3: bar t5,t6
 finish
