// SPDX-License-Identifier: Apache-2.0
// Says that it runs, then counts for ever.
#include <simt.h>
#include <stdio.h>

volatile unsigned turns;

int main() {
  if (simt_core() != 0) return 0;
  printf("counting\n");
  for (;;) turns = turns + 1;
}
