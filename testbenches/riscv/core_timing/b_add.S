// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 .rept 20
 add t1,t2,t3
 add t4,t2,t3
 add a4,t2,t3
 add a5,t2,t3
 add a6,t2,t3
 .endr
 bar t5,t6
 finish
