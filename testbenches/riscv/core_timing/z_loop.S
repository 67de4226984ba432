// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t1,800
1: addi t1,t1,-1
 lw t2,0(s2)
 fmadd.s fa0,fa1,fa2,fa3
 add t3,t2,t2
 bnez t1,1b
 finish
