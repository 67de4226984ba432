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
 .rept 20
 nop
 .endr
 .rept 12
 lw t1,0(s2)
 add t2,t1,t1
 .endr
 j 8f
2: .rept 30
 nop
 .endr
 sw t0,0(s5)
 j 8f
1: and a4,a5,a6
 and a4,a5,a6
 and a4,a5,a6
 and a4,a5,a6
 and a4,a5,a6
 and a4,a5,a6
8: bar t5,t6
9: finish
