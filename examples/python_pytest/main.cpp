// SPDX-License-Identifier: Apache-2.0
// Runs on the machine: y = alpha * A x, a row per lane.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

constexpr unsigned kRows = 64, kColumns = 32;
extern "C" {
float a[kRows][kColumns], x[kColumns], y[kRows];
}

struct Arguments {
  uint32_t rows;
  float alpha;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {kRows, 1};

static void multiply(unsigned row, void*) {
  float sum = 0;
  for (unsigned column = 0; column < kColumns; ++column) sum += a[row][column] * x[column];
  y[row] = arguments.alpha * sum;
}

int main() {
  const unsigned rows = arguments.rows;
  if (rows > kRows) {
    if (simt_core() == 0) printf("at most %u rows\n", kRows);
    return 1;
  }
  MARK_BEG();
  spawn_tasks(rows, multiply, nullptr);
  simt_barrier(0, 1);  // all cores are done
  MARK_END();
  return 0;
}
