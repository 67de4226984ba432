// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 twice NW
 li t1,40
1:
 lw a2,0(s2)
 lw a3,0(s2)
 lw a4,0(s2)
 lw a5,0(s2)
 lw a6,0(s2)
 lw a7,0(s2)
 lw a2,0(s2)
 lw a3,0(s2)
 lw a4,0(s2)
 lw a5,0(s2)
 lw a6,0(s2)
 lw a7,0(s2)
 lw a2,0(s2)
 lw a3,0(s2)
 lw a4,0(s2)
 lw a5,0(s2)
 addi t1,t1,-1
 bnez t1,1b
 again
