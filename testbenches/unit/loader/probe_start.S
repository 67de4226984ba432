/* SPDX-License-Identifier: Apache-2.0 */
/* Start of the probe program. The tests know these lines by number. */
  .section .text
  .globl _start
_start:
  la a0, samples
  call total
  ebreak
