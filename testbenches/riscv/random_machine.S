/* SPDX-License-Identifier: Apache-2.0
 * The frame of a random whole-machine program (random_machine.py): one hart, a trap handler that writes down every
 * trap and goes on at x26, and at the end a verdict for the host. x30 points into the data, x31 is the log. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  la t0, handler
  csrw mtvec, t0
  la t0, save_area
  csrw mscratch, t0
  li t0, 0x6000                         /* FS dirty */
  csrs mstatus, t0
  csrwi fcsr, 0
  li x30, DATA + 2048
  li x31, LOG
  li x26, 0
  li x27, 0
  li x29, 0
  .altmacro
  .macro load_registers n
    lw x\n, 4 * \n(x30)
  .endm
  .macro load_floats n
    flw f\n, 128 + 4 * \n(x30)
  .endm
  .set i, 0
  .rept 32
    load_floats %i
    .set i, i + 1
  .endr
  .set i, 1
  .rept 25
    load_registers %i
    .set i, i + 1
  .endr
  jal x28, dump
  j units

  /* All registers, fcsr and mstatus to the log; returns to x28. */
  .macro store_register n
    sw x\n, 4 * \n(x31)
  .endm
  .macro store_float n
    fsw f\n, 128 + 4 * \n(x31)
  .endm
dump:
  .set i, 0
  .rept 31
    store_register %i
    .set i, i + 1
  .endr
  .set i, 0
  .rept 32
    store_float %i
    .set i, i + 1
  .endr
  csrr x29, fcsr
  sw x29, 124(x31)
  csrr x29, mstatus
  sw x29, 256(x31)
  addi x31, x31, 260
  jr x28

  .balign 4
handler:
  csrrw x27, mscratch, x27
  sw x28, 0(x27)
  sw x29, 4(x27)
  csrr x28, mcause
  addi x29, x28, -6
  bnez x29, 1f
  li x28, 4                             /* see random_machine.py, as below */
1:
  sw x28, 0(x31)
  csrr x29, mepc
  sw x29, 4(x31)
  csrr x29, mtval
  beqz x28, 1f
  addi x28, x28, -3
  bnez x28, 2f
1:
  li x29, 0
2:
  sw x29, 8(x31)
  csrr x29, mstatus
  sw x29, 12(x31)
  addi x31, x31, 16
  csrw mepc, x26
  csrr x28, mcause
  addi x28, x28, -8
  bnez x28, 1f
  li x28, 0x1800                        /* a call of user mode ends in machine mode */
  csrs mstatus, x28
1:
  lw x28, 0(x27)
  lw x29, 4(x27)
  csrrw x27, mscratch, x27
  mret

verdict:
  la t0, tohost
  li t1, 1
2:
  sw t1, 0(t0)
  sw zero, 4(t0)
  j 2b

  .text
units:
  .include UNITS
  li t0, 0x1800
  jal x28, dump
  j verdict

  .section .tohost, "aw", @progbits
  .globl tohost
tohost:
  .dword 0
  .size tohost, 8
  .balign 64
  .globl fromhost
fromhost:
  .dword 0
  .size fromhost, 8

  .data
save_area:
  .word 0, 0
