// SPDX-License-Identifier: Apache-2.0
.option norvc
.macro tmc r
 .insn r 0x0B,0,0,x0,\r,x0
.endm
.macro wspawn n,pc
 .insn r 0x0B,1,0,x0,\n,\pc
.endm
.macro bar id,n
 .insn r 0x0B,4,0,x0,\id,\n
.endm
.macro prologue          # s0=0x90000000+4*lane+0x200*warp s1=0x91.. (latency 300) s2=smem  s3=wid s4=lane
 li t0,-1
 tmc t0
 csrr s4,0xCC0
 csrr s3,0xCC1
 slli t0,s4,2
 slli t1,s3,9
 add t0,t0,t1
 li s0,0x90000000
 add s0,s0,t0
 li s1,0x91000000
 add s1,s1,t0
 li s2,0xFF000000
 add s2,s2,t0
 li t4,0x10000
 li s5,0x95000000
 add s5,s5,t0
 li s6,0x92000000
 add s6,s6,t0
 li s7,0xFF001000
 add s7,s7,t0
 li s8,0xFF002000
 add s8,s8,t0
 li s9,0xFF005000
 add s9,s9,t0
 li a2,3
 li a3,7
.endm
.macro fill n             # long operation, everything behind it waits for t0
 lw t0,0(s1)
.endm
.macro finish
 li t0,0
 tmc t0
.endm
.macro all n              # so many warps run what follows
 li t0,\n
 la t1,1f
 wspawn t0,t1
1:
.endm
.macro all8
 all 8
.endm
.macro late n             # warp w goes on w*n mod 8 cycles late: two pairs of an operation and what needs it, of 9, 10, 12 and 13 cycles
 li t0,\n
 mul t0,t0,s3
 andi t0,t0,7
 slli t0,t0,5
 la t1,7f
 add t1,t1,t0
 jr t1
 .p2align 5
7:
 pairs add,add
 pairs add,fmax.s
 pairs fmax.s,fmax.s
 pairs add,fmadd.s
 pairs add,mul
 pairs fmax.s,mul
 pairs fmadd.s,fmadd.s
 pairs fmadd.s,mul
8:
.endm
.macro pairs one,other
 pair \one
 pair \other
 j 8f
 .p2align 5
.endm
.macro pair name
 .ifc \name,fmax.s
 fmax.s fa0,fa0,fa0
 fmax.s fa0,fa0,fa0
 .else
 .ifc \name,fmadd.s
 fmadd.s fa1,fa1,fa1,fa1
 fmadd.s fa1,fa1,fa1,fa1
 .else
 \name t2,t2,t2
 \name t2,t2,t2
 .endif
 .endif
.endm
.macro twice n            # so many warps run what follows up to `again` twice, the second time out of the instruction cache
 all \n
 prologue
 li t5,0
 li t6,\n
 li s11,2
9:
 bar t5,t6
.endm
.macro again
 bar t5,t6
 bar t5,t6
 addi s11,s11,-1
 bnez s11,9b
 finish
.endm
.text
.globl _start
_start:
