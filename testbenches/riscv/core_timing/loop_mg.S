// SPDX-License-Identifier: Apache-2.0
#include "testbenches/riscv/core_timing/common.h"
 twice NW
#ifdef LATE
 late LATE
#endif
 li t1,32
1: addi a4,t1,1
 slli a5,a4,2

 flw f8,0(s2)
 flw f9,32(s2)
 flw f10,64(s2)
 flw f11,96(s2)
 flw f12,128(s2)
 flw f13,160(s2)
 flw f14,192(s2)
 flw f15,224(s2)

 flw f0,256(s2)
 flw f1,288(s2)
 flw f2,320(s2)
 flw f3,352(s2)
 flw f4,384(s2)
 flw f5,416(s2)
 flw f6,448(s2)
 flw f7,480(s2)
 .word 0x7b
 add a6,a5,a4

 flw f0,256(s2)
 flw f1,256(s2)
 flw f2,256(s2)
 flw f3,256(s2)
 flw f4,256(s2)
 flw f5,256(s2)
 flw f6,256(s2)
 flw f7,256(s2)
 .word 0xfb
 addi t1,t1,-1
 bnez t1,1b
 again
