// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 twice NW
 li t1,20
1: addi t1,t1,-1
 bar t5,t6
 bnez t1,1b
 again
