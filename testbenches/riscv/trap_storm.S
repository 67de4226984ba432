/* SPDX-License-Identifier: Apache-2.0
 * Trap handlers that never get anywhere, by STORM. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  la t0, handler
  csrw mtvec, t0
  li t1, 1
  .word 0                 /* illegal */

  .balign 4
handler:
#if STORM == 0            /* its first instruction traps */
  .word 0
#elif STORM == 1          /* it goes back to what trapped */
  mret
#elif STORM == 2          /* it calls itself */
  ecall
#elif STORM == 3          /* it works a little, then traps */
  addi t2, t2, 1
  add t3, t2, t2
  lw t4, 1(t1)
#elif STORM == 4          /* it moves on to where no code is */
  li t0, 0x90000000
  csrw mtvec, t0
  .word 0
#endif
