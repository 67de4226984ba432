/* SPDX-License-Identifier: Apache-2.0
 * All warps of all cores count under a lock of amoswap.aq and .rl, with lr and sc, and with amoadd.
 * The first warp compares the sums: tohost 1, or the number of the wrong one. */
#define ROUNDS 20
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  csrr t0, 0xFC1
  la t1, worker
  .insn r CUSTOM_0, 1, 0, x0, t0, t1    /* wspawn: all warps of this core */
worker:
  la s0, lock
  la s1, counters
  li s2, ROUNDS
  li s3, 1
1:
  amoswap.w.aq t0, s3, (s0)
  bnez t0, 1b
  lw t1, 0(s1)                          /* no atomic here: the lock must order it */
  addi t1, t1, 1
  sw t1, 0(s1)
  amoswap.w.rl x0, x0, (s0)
  addi a1, s1, 4
2:
  lr.w t0, (a1)
  addi t0, t0, 1
  sc.w t0, t0, (a1)
  bnez t0, 2b
  addi a1, s1, 8
  amoadd.w x0, s3, (a1)
  addi s2, s2, -1
  bnez s2, 1b
  addi a1, s1, 12
  amoadd.w.rl x0, s3, (a1)              /* done */
  csrr t0, mhartid
  bnez t0, end
  csrr t0, 0xFC1
  csrr t1, 0xFC2
  mul t1, t0, t1
3:
  lw t0, 0(a1)
  bne t0, t1, 3b
  li t2, ROUNDS
  mul t1, t1, t2
  li s4, 3
  lw t0, 0(s1)
  bne t0, t1, verdict
  li s4, 5
  lw t0, 4(s1)
  bne t0, t1, verdict
  li s4, 7
  lw t0, 8(s1)
  bne t0, t1, verdict
  li s4, 1
verdict:
  la t0, tohost
  sw s4, 0(t0)
  sw x0, 4(t0)
end:
  li gp, 0
  .insn r CUSTOM_0, 0, 0, x0, x0, x0

  .section .tohost, "aw", @progbits
  .globl tohost
tohost:
  .dword 0
  .data
  .balign 64
lock:
  .word 0
  .balign 64
counters:
  .word 0, 0, 0, 0
