// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 li t0,0x40400000
 fmv.w.x fa1,t0
 bar t5,t6
 .rept 4
 fdiv.s fa0,fa1,fa1
 fdiv.s fa2,fa1,fa1
 .endr
 bar t5,t6
 finish
