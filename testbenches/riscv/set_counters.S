/* SPDX-License-Identifier: Apache-2.0
 * mcycle and minstret are set and go on from there; time does not follow. */
#include "testbenches/riscv/traps.h"

ENVIRONMENT_BEGIN(MACHINE)
  rdtime s5
  li t0, 1000
  csrw minstret, t0
  csrr a0, minstret                     /* the write itself does not count */
  CHECK(2, a0, 1000)
  csrr a0, minstret
  csrr a1, minstret
  sub a0, a1, a0
  CHECK(3, a0, 1)
  li t0, 7
  csrw minstreth, t0
  csrr a0, minstreth
  CHECK(4, a0, 7)
  csrr a0, instreth
  CHECK(5, a0, 7)
  li t0, -1
  csrw minstret, t0                     /* carries into the high half */
  nop
  nop
  csrr a0, minstreth
  CHECK(6, a0, 8)
  csrw minstreth, zero

  li t0, 0x40000000
  csrw mcycle, t0
  csrr a0, mcycle
  sub a0, a0, t0
  sltiu a0, a0, 1000
  CHECK(10, a0, 1)
  li t0, 3
  csrw mcycleh, t0
  csrr a0, mcycleh
  CHECK(11, a0, 3)
  csrr a0, cycleh
  CHECK(12, a0, 3)
  rdcycle a0
  srli a0, a0, 30
  CHECK(13, a0, 1)
  csrw mcycleh, zero
  csrw mcycle, zero
  csrr a0, mcycle
  sltiu a0, a0, 1000
  CHECK(14, a0, 1)
  csrwi mcycle, 5
  csrsi mcycle, 8
  csrr a0, mcycle
  sltiu a0, a0, 1000
  CHECK(15, a0, 1)
  rdtimeh a0
  CHECK(16, a0, 0)
  rdtime a0                             /* went on all the time */
  bltu s5, a0, 1f
  j failed
1:
  li t0, 100000
  sub a0, a0, s5
  bltu a0, t0, 1f
  j failed
1:
  li s1, 0xC0001073
  traps 20, 2, csrw cycle, zero
  li s1, 0xB0102573                     /* there is no such counter */
  traps 21, 2, csrr a0, 0xB01
  ENVIRONMENT_END
  handler
