// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 .rept 10
 csrr t0,0xCC0
 csrr t1,0xCC1
 .endr
 bar t5,t6
 finish
