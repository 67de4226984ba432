/* SPDX-License-Identifier: Apache-2.0
 * A bare-metal environment for one hart in the style of the usual per-instruction suites: hart 0 alone goes
 * on, machine mode is set up, the test runs in user mode and ends with an ecall, the trap handler stores the
 * verdict to `tohost` for ever. tohost: 1 = passed, 2 * test + 1 = that test failed.
 * Registers: gp counts the tests; the handler of a test may use t5 and t6. */
#define TEST_NUMBER gp

/* A handler of the test itself (machine-mode tests) is reached through `test_handler`, else a trap fails. */
#define ENVIRONMENT_BEGIN(START_MODE)                              \
  .section .text.init, "ax", @progbits;                            \
  .globl _start;                                                   \
_start:                                                            \
  j set_up;                                                        \
  .balign 4;                                                       \
trap_entry:                                                        \
  csrr t5, mcause;                                                 \
  addi t6, t5, -8;                                                 \
  beqz t6, report_verdict;       /* ecall of user mode */          \
  la t6, test_handler;                                             \
  beqz t6, 1f;                                                     \
  jr t6;                                                           \
1:                                                                 \
  slli TEST_NUMBER, TEST_NUMBER, 1;                                \
  ori TEST_NUMBER, TEST_NUMBER, 1;                                 \
report_verdict:                                                    \
  la t5, tohost;                                                   \
2:                                                                 \
  sw TEST_NUMBER, 0(t5);                                           \
  sw zero, 4(t5);                                                  \
  j 2b;                                                            \
set_up:                                                            \
  csrr a0, mhartid;                                                \
1:                                                                 \
  bnez a0, 1b;                                                     \
  la t0, 1f;                                                       \
  csrw mtvec, t0;                /* what does not exist is skipped */ \
  csrwi satp, 0;                                                   \
  .balign 4;                                                       \
1:                                                                 \
  la t0, 1f;                                                       \
  csrw mtvec, t0;                                                  \
  li t0, -1;                                                       \
  csrw pmpaddr0, t0;                                               \
  li t0, 0x1F;                   /* everything: read, write, execute */ \
  csrw pmpcfg0, t0;                                                \
  .balign 4;                                                       \
1:                                                                 \
  la t0, 1f;                                                       \
  csrw mtvec, t0;                                                  \
  csrwi mie, 0;                                                    \
  csrwi medeleg, 0;                                                \
  csrwi mideleg, 0;                                                \
  .balign 4;                                                       \
1:                                                                 \
  la t0, trap_entry;                                               \
  csrw mtvec, t0;                                                  \
  li TEST_NUMBER, 0;                                               \
  csrwi mstatus, 0;                                                \
  li t0, 0x2000 | ((START_MODE) << 11);  /* the floating-point unit is on */ \
  csrs mstatus, t0;                                                \
  csrwi fcsr, 0;                                                   \
  la t0, test_begin;                                               \
  csrw mepc, t0;                                                   \
  mret;                                                            \
  .weak test_handler;                                              \
  .text;                                                           \
test_begin:

#define USER 0
#define MACHINE 3

/* The end of a test: falls in here when all is good. */
#define ENVIRONMENT_END                                            \
  fence;                                                           \
  li TEST_NUMBER, 1;                                               \
  j verdict;                                                       \
failed:                                                            \
  fence;                                                           \
  slli TEST_NUMBER, TEST_NUMBER, 1;                                \
  ori TEST_NUMBER, TEST_NUMBER, 1;                                 \
verdict:                                                           \
  ENVIRONMENT_LEAVE;                                               \
  unimp;                                                           \
  .pushsection .tohost, "aw", @progbits;                           \
  .balign 64;                                                      \
  .globl tohost;                                                   \
tohost:                                                            \
  .dword 0;                                                        \
  .size tohost, 8;                                                 \
  .balign 64;                                                      \
  .globl fromhost;                                                 \
fromhost:                                                          \
  .dword 0;                                                        \
  .size fromhost, 8;                                               \
  .popsection

#ifndef ENVIRONMENT_LEAVE
#define ENVIRONMENT_LEAVE ecall
#endif

/* A register must hold a value. */
#define CHECK(number, register, value)                             \
  li TEST_NUMBER, number;                                          \
  li t6, value;                                                    \
  beq register, t6, 1f;                                            \
  j failed;                                                        \
1:
