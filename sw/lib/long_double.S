/* SPDX-License-Identifier: Apache-2.0
 *
 * What compilers call for long double (128 bits): not there. kernel.ld says so when a program calls one of these. */

  .section .long_double, "ax", @progbits
.irp name, __addtf3, __subtf3, __multf3, __divtf3, __negtf2, __powitf2, __multc3, __divtc3, \
    __eqtf2, __netf2, __lttf2, __letf2, __gttf2, __getf2, __unordtf2, \
    __extendhftf2, __extendsftf2, __extenddftf2, __trunctfhf2, __trunctfsf2, __trunctfdf2, __trunctfbf2, \
    __fixtfsi, __fixunstfsi, __fixtfdi, __fixunstfdi, __floatsitf, __floatunsitf, __floatditf, __floatunditf
  .globl \name
\name:
.endr
  ebreak
