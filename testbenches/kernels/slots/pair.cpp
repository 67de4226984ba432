// SPDX-License-Identifier: Apache-2.0
#include <simt.h>
#include <stdio.h>

int main() {
  volatile unsigned* const registers = reinterpret_cast<volatile unsigned*>(0xFF040000);
  if (simt_core() < 2) printf("read %u\n", *registers);
  return 0;
}
