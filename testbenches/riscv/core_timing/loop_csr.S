// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 twice NW
#ifdef LATE
 late LATE
#endif
 li t1,40
1: csrr t2,0xCC0
 add t3,t2,t1
 addi t1,t1,-1
 bnez t1,1b
 again
