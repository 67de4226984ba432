// SPDX-License-Identifier: Apache-2.0
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct {
  unsigned squares[256];
  unsigned checksum;
} data;

static void square(unsigned id, void*) {
  const unsigned value = id * id;
  data.squares[id + 1] = value;
}

int main() {
  if (simt_core() == 0) data.checksum = 42;
  simt_barrier(0, 1);
  spawn_tasks(256, square, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  printf("the checksum is %u, it was 42\n", data.checksum);
  return data.checksum != 42;
}
