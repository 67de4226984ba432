// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 .rept 20
 lw t1,0(s0)
 lw t4,0(s0)
 lw a4,0(s0)
 lw a5,0(s0)
 lw a6,0(s0)
 .endr
 bar t5,t6
 finish
