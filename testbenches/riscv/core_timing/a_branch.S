// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 li t1,10
1: addi t1,t1,-1
 bnez t1,1b
 csrr t2,0xB00
 csrr t3,0xB00
 csrr t4,0xCC0
 csrr t5,0xCC0
 .rept 4
 j 2f
2:
 .endr
 nop
 nop
 nop
 nop
 finish
