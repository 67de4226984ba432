/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the warps of work groups start (spica/group.h): the dispatcher has set the mask, all registers are 0, mscratch has
 * the argument and a CSR the kernel. */
#include "platform.h"
#include "assembly.inc"
#include "lane_registers.inc"

#define CSR_ENTRY 0xCE1
#define CSR_ARGUMENT 0x340

  .section .text.simt_start_group, "axG", @progbits, simt_start_group_code
  .globl simt_start_group
  .type simt_start_group, @function
simt_start_group:
  .cfi_startproc
  .cfi_undefined ra                      /* the outermost frame */
  set_lane_registers simt_start_group_code
  csrr a0, CSR_ARGUMENT
  csrr t0, CSR_ENTRY
  jalr t0
  li gp, 0                               /* the exit code, should this be warp 0 of core 0 */
  fence iorw, iorw
  .insn r CUSTOM_0, 0, 0, x0, x0, x0     /* tmc: the warp ends */
  .cfi_endproc
  .size simt_start_group, . - simt_start_group
