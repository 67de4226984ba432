// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 li t1,40
 bar t5,t6
1: addi t1,t1,-1
 add t2,t2,t3
 add t2,t2,t3
 bnez t1,1b
 bar t5,t6
 finish
