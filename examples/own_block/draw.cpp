// SPDX-License-Identifier: Apache-2.0
#include <simt.h>
#include <stdio.h>

int main() {
  volatile unsigned* const dice = reinterpret_cast<volatile unsigned*>(0xFF040000);
  if (simt_core() != 0) return 0;
  const unsigned first = *dice, second = *dice;
  printf("%u, then %u\n", first, second);
  return 0;
}
