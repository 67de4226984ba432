// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 all8
 prologue
 li t5,0
 li t6,8
 bar t5,t6
 .rept 4
 .word 0x0000007b
 .word 0x000000fb
 .endr
 bar t5,t6
 finish
