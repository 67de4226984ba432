// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 twice NW
 li t1,60
1: lw t2,0(s2)
 mul t3,t1,t1
 add t4,t3,t1
 sw t4,256(s2)
 xor a5,t4,t2
 sltu a4,t3,t4
 addi t1,t1,-1
 bnez t1,1b
 again
