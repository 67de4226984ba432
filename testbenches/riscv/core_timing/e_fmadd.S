// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,3
 addi t1,s3,-3
 bgez t1,9f
 bar t5,t6
 beqz s3,1f
 addi t1,s3,-1
 beqz t1,2f
 .rept 12
 lw t1,0(s2)       # warp 2: shared memory loads
 add t2,t1,t1
 .endr
 j 8f
2: .rept 4
 sw t0,0(s5)       # warp 1: one store with 200 cycles to its acknowledge
 .endr
 j 8f
1: .rept 20
 fmadd.s fa0,fa1,fa2,fa3               # warp 0: no memory
 .endr
8: bar t5,t6
9: finish
