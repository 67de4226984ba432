// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 twice NW
 li t1,200
1: lw t2,0(s2)
 addi t1,t1,-1
 add t3,t2,t2
 bnez t1,1b
 again
