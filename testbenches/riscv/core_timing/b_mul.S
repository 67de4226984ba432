// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 .rept 20
 mul t1,t2,t3
 mul t4,t2,t3
 mul a4,t2,t3
 mul a5,t2,t3
 mul a6,t2,t3
 .endr
 bar t5,t6
 finish
