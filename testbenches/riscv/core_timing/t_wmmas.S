// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 li t5,1
 li t6,1
 bar t5,t6
 .rept 4
 .word 0x0000007b
 .endr
 bar t5,t6
 csrr t0,0xCC0
 bar t5,t6
 finish
