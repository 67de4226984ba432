/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints through the putchar window at PUTCHAR: the byte of hart h is h & 63. */
#include <simt.h>

int main(void) {
  volatile char* const window = (volatile char*)PUTCHAR;
  if (simt_core() != 0) return 0;
  for (const char* text = "through the window\n"; *text != 0; ++text)
    window[simt_hart() & 63] = *text;
  return 0;
}
