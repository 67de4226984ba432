/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls with another thread mask. They are in assembly because a compiler moves code across a mask
 * change; across a call it cannot. All lanes keep the registers a call must keep, also those that
 * sit out. */

#define CSR_MASK 0xCC4

  .cfi_sections .debug_frame

.macro tmc mask
  .insn r CUSTOM_0, 0, 0, x0, \mask, x0
.endm

/* void simt_each_lane(void (*function)(void*), void* argument) */
  .section .text.simt_each_lane, "ax", @progbits
  .globl simt_each_lane
  .type simt_each_lane, @function
simt_each_lane:
  .cfi_startproc
  addi sp, sp, -32
  .cfi_def_cfa_offset 32
  sw ra, 28(sp)
  sw s0, 24(sp)
  sw s1, 20(sp)
  sw s2, 16(sp)
  sw s3, 12(sp)
  .cfi_offset ra, -4
  .cfi_offset s0, -8
  .cfi_offset s1, -12
  .cfi_offset s2, -16
  .cfi_offset s3, -20
  mv s2, a0
  mv s3, a1
  csrr s0, CSR_MASK           /* the lanes to come back to */
  mv s1, s0                   /* the lanes still to run; equal in all lanes, as is s0 */
1:
  neg t0, s1
  and t0, t0, s1              /* the lowest of them */
  tmc t0
  mv a0, s3
  jalr s2
  tmc s0
  addi t0, s1, -1
  and s1, s1, t0
  bnez s1, 1b
  lw ra, 28(sp)
  lw s0, 24(sp)
  lw s1, 20(sp)
  lw s2, 16(sp)
  lw s3, 12(sp)
  .cfi_restore ra
  .cfi_restore s0
  .cfi_restore s1
  .cfi_restore s2
  .cfi_restore s3
  addi sp, sp, 32
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_each_lane, . - simt_each_lane

/* void simt_with_mask(void (*function)(unsigned, void*), unsigned id, void* argument,
 *                     unsigned mask) */
  .section .text.simt_with_mask, "ax", @progbits
  .globl simt_with_mask
  .type simt_with_mask, @function
simt_with_mask:
  .cfi_startproc
  addi sp, sp, -16
  .cfi_def_cfa_offset 16
  sw ra, 12(sp)
  sw s0, 8(sp)
  .cfi_offset ra, -4
  .cfi_offset s0, -8
  csrr s0, CSR_MASK
  mv t0, a0
  mv a0, a1
  mv a1, a2
  tmc a3
  jalr t0
  tmc s0
  lw ra, 12(sp)
  lw s0, 8(sp)
  .cfi_restore ra
  .cfi_restore s0
  addi sp, sp, 16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_with_mask, . - simt_with_mask

/* void simt_run_warp_0(void): from lane 0 of warp 0, runs the spawned function with all lanes.
 * Nothing is passed in registers: the other lanes do not have it. Only lane 0 comes back.
 *
 * For debuggers s0 holds where each lane came from. Lane 0 has a caller; the others last stood in
 * _start, which left its address in their ra, and so does this function at its end. */
  .section .text.simt_run_warp_0, "ax", @progbits
  .globl simt_run_warp_0
  .type simt_run_warp_0, @function
simt_run_warp_0:
  .cfi_startproc
  addi sp, sp, -16
  .cfi_def_cfa_offset 16
  sw s0, 12(sp)               /* of lane 0; those of the others are not needed */
  .cfi_offset s0, -4
  li t0, -1
  tmc t0
  mv s0, ra
  .cfi_register ra, s0
  call simt_run_spawned
  mv ra, s0
  .cfi_same_value ra
  li t0, 1
  tmc t0
  lw s0, 12(sp)
  .cfi_restore s0
  addi sp, sp, 16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_run_warp_0, . - simt_run_warp_0

/* Where warps 1.. start: all lanes on, run, end. gp, sp and tp are as _start left them. */
  .section .text.simt_spawned_warp, "ax", @progbits
  .globl simt_spawned_warp
  .type simt_spawned_warp, @function
simt_spawned_warp:
  .cfi_startproc
  .cfi_undefined ra           /* the outermost frame */
  li t0, -1
  tmc t0
  call simt_run_spawned
  tmc x0
  .cfi_endproc
  .size simt_spawned_warp, . - simt_spawned_warp
