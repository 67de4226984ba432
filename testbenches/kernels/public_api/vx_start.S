/* SPDX-License-Identifier: Apache-2.0
 *
 * Where all cores begin, and the warps that they start. */
  .section .init, "ax"
  .globl _start
_start:
  /* The stacks of all lanes of warp 0, then main() on lane 0. */
  csrr t0, 0xFC0
  li t1, 1
  sll t1, t1, t0
  addi t1, t1, -1
  .insn r 0x0B, 0, 0, x0, t1, x0         /* tmc: all lanes */
  jal t6, set_stack
  li t1, 1
  .insn r 0x0B, 0, 0, x0, t1, x0
  call main
  fence iorw, iorw
  li gp, 0                               /* the exit code */
  .insn r 0x0B, 0, 0, x0, x0, x0

  .globl vx_start_warp
vx_start_warp:
  csrr t0, 0xFC0
  li t1, 1
  sll t1, t1, t0
  addi t1, t1, -1
  .insn r 0x0B, 0, 0, x0, t1, x0
  jal t6, set_stack
  call vx_run_tasks
  fence iorw, iorw
  .insn r 0x0B, 0, 0, x0, x0, x0

set_stack:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  csrr t0, 0xF14                         /* number of the thread, 8 KB and 16 bytes each */
  li sp, 0xFF000000
  slli t1, t0, 13
  sub sp, sp, t1
  slli t1, t0, 4
  sub sp, sp, t1
  jr t6
