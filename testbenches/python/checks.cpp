// SPDX-License-Identifier: Apache-2.0
// Errors that checks find, a hang, and arrays in the argument block, for checks_test.py.
#include <arguments.h>
#include <simt.h>
#include <spica/group.h>
#include <stdio.h>

struct Arguments {
  uint32_t mode, index;
  uint32_t sizes[3];
  float matrix[2][2];
  struct {
    int32_t pair[2];
  } parts[2];
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 3, {1, 2, 3}, {{1, 2}, {3, 4}}, {{{5, 6}}, {{7, 8}}}};

extern "C" {
volatile uint32_t shared_word;
uint32_t few[8];
float sum;
}

extern "C" void late(const Arguments* a) {
  if (a->mode == 0) spica::group_barrier();
  few[spica::group_thread()] = shared_word;
}
SPICA_KERNEL(late, 8, 0);

int main() {
  const unsigned core = simt_core(), mode = arguments.mode;
  if (mode == 1) shared_word = core;  // mark: race
  if (mode == 2 && core == 0) few[arguments.index] = 1;  // mark: outside
  if (mode == 3 && core == 0) simt_barrier(1, 2);  // mark: hang
  simt_barrier(0, 1);
  if (core != 0) return 0;
  sum = 0;
  for (const uint32_t size : arguments.sizes) sum += static_cast<float>(size);
  for (const auto& row : arguments.matrix) sum += 10 * row[0] + 100 * row[1];
  for (const auto& part : arguments.parts)
    sum += static_cast<float>(1000 * part.pair[0] + 10000 * part.pair[1]);
  return 0;
}
