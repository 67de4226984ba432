// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 flw fa0,0(s1)
 fmv.w.x fa1,x0
 .rept 16
 fmadd.s fa0,fa0,fa1,fa0
 .endr
 finish
