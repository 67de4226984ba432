// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 prologue
 li t5,1
 li t6,1
 li t0,5
 .rept 30
 nop
 .endr
 sw t0,0(s5)        # acknowledged after 200
 fence
 lw t1,0(s0)
 fence
 fence
 sw t0,0(s9)        # shared memory, acknowledged after 200
 fence
 bar t5,t6
 nop
 sw t0,0(s5)
 fence
 bar t5,t6
 lw t1,0(s0)
 add t2,t1,t1
 bar t5,t6
 bar t5,t6
 nop
 finish
