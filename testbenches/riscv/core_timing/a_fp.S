// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 li t0,0x40400000
 fmv.w.x fa1,t0
 flw fa0,0(s1)
 .rept 4
 fdiv.s fa0,fa1,fa1
 fdiv.s fa0,fa0,fa1
 .endr
 .rept 4
 fmax.s fa0,fa0,fa1
 .endr
 .rept 4
 fcvt.w.s t0,fa0
 fcvt.s.w fa0,t0
 .endr
 .rept 4
 fmv.x.w t0,fa0
 fmv.w.x fa0,t0
 .endr
 fsqrt.s fa0,fa0
 fsqrt.s fa0,fa0
 fadd.s fa0,fa0,fa0
 finish
