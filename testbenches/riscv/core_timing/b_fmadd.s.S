// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 .rept 20
 fmadd.s fa0,fa1,fa2,fa3
 fmadd.s fa4,fa1,fa2,fa3
 fmadd.s fa5,fa1,fa2,fa3
 fmadd.s fa6,fa1,fa2,fa3
 fmadd.s fa7,fa1,fa2,fa3
 .endr
 bar t5,t6
 finish
