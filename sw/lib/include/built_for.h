/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes in the ELF about the machine a program was built for; the loader compares them with the
 * machine in use. The library and its headers record what they depend on, a kernel adds its own
 * dependencies. platform/machine/loader/elf_notes.h has the format and the keys.
 *
 *   BUILT_FOR("clusters", 1);                                 outside of functions; a constant
 *   BUILT_FOR_WORD("matrix_unit.command_set", "hexadecile");  the same, a word; | separates alternatives
 *   BUILT_FOR_HERE("print_buffer", 0xFF010000);               in a function; goes with it when the
 *                                                             linker drops the function
 *   BUILT_FOR_WORD_HERE("tensor_core.style", "decoupled");    the same, a word */
#pragma once

#ifdef __riscv

/* A note as assembly. `section`: flags of the section and what follows them; `text`: "key=value". */
#define BUILT_FOR_NOTE(section, text)                                      \
  ".pushsection .note.spica," section                                      \
  "\n\t"                                                                   \
  ".balign 4\n\t.4byte 6, 3f-2f, 0x101\n\t.asciz \"Spica\"\n\t.balign 4\n" \
  "2:\t.4byte 1\n\t.asciz \"" text                                         \
  "\"\n\t.balign 4\n"                                                      \
  "3:\t.popsection"
/* For extended assembly in a function, to which the note is linked. */
#define BUILT_FOR_NOTE_HERE(text) ".Lbuilt_for_%=:\n\t" BUILT_FOR_NOTE("\"o\",@note,.Lbuilt_for_%=", text)

/* An unused function holds the note: only there can a compiler put constants into assembly. */
#define BUILT_FOR_FUNCTION_2_(counter, text, operands)             \
  static __attribute__((used)) void built_for_##counter(void) {    \
    __asm__ volatile(BUILT_FOR_NOTE("\"\",@note", text) operands); \
  }                                                                \
  struct built_for_end /* a semicolon follows */
#define BUILT_FOR_FUNCTION_(counter, text, operands) BUILT_FOR_FUNCTION_2_(counter, text, operands)

#define BUILT_FOR(key, value) BUILT_FOR_FUNCTION_(__COUNTER__, key "=%0", ::"i"((long long)(value)))
#define BUILT_FOR_WORD(key, word) BUILT_FOR_FUNCTION_(__COUNTER__, key "=" word, ::"i"(0))
#define BUILT_FOR_HERE(key, value) \
  __asm__ __volatile__ __inline__(BUILT_FOR_NOTE_HERE(key "=%0")::"i"((long long)(value)))
#define BUILT_FOR_WORD_HERE(key, word) \
  __asm__ __volatile__ __inline__(BUILT_FOR_NOTE_HERE(key "=" word)::"i"(0))

#else /* on the host they are not read */
#define BUILT_FOR_NOTE_HERE(text) ""
#define BUILT_FOR(key, value) struct built_for_end
#define BUILT_FOR_WORD(key, word) struct built_for_end
#define BUILT_FOR_HERE(key, value) ((void)0)
#define BUILT_FOR_WORD_HERE(key, word) ((void)0)
#endif
