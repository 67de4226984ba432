// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 li t0,NW
 la t1,1f
 wspawn t0,t1
1:
 prologue
 li t5,0
 li t6,NW
 li s11,2               // the second time, its code is in the instruction cache
9:
 bar t5,t6
 li t1,200
1: lw t2,0(s2)
 addi t1,t1,-1
 add t3,t2,t2
 bnez t1,1b
 bar t5,t6
 bar t5,t6
 addi s11,s11,-1
 bnez s11,9b
 finish
