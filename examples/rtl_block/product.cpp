// SPDX-License-Identifier: Apache-2.0
// sums = A B by the product unit, in steps of 8 along k; then the same on the cores, as a check. One warp gives the
// unit its operands.
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

constexpr unsigned kSteps = 32;

// As the unit wants them: for each step the rows of A, and the columns of B.
unsigned a[kSteps][16], b[kSteps][16];
int sums[64];

static int element(const unsigned* words, unsigned k) {
  return static_cast<signed char>(words[k / 4] >> k % 4 * 8);
}

static void multiply(unsigned lane, void*) {
  volatile unsigned* const unit = reinterpret_cast<volatile unsigned*>(0xFF040000);
  for (unsigned step = 0; step < kSteps; ++step) {
    for (unsigned half = 0; half < 16; half += 8) {
      unit[half + lane] = a[step][half + lane];
      unit[16 + half + lane] = b[step][half + lane];
    }
    SIMT_IF(lane == 0)
    unit[32] = step == 0;
    SIMT_END_IF
  }
  for (unsigned row = 0; row < 8; ++row) sums[8 * row + lane] = static_cast<int>(unit[64 + 8 * row + lane]);
}

static void check(unsigned index, void* right) {
  int sum = 0;
  for (unsigned k = 0; k < 8 * kSteps; ++k)
    sum += element(&a[k / 8][index / 8 * 2], k % 8) * element(&b[k / 8][index % 8 * 2], k % 8);
  static_cast<bool*>(right)[index] = sum == sums[index];
}

int main() {
  static bool right[64];
  if (simt_core() == 0) {
    for (unsigned i = 0, value = 1; i < 16 * kSteps; ++i) {
      (&a[0][0])[i] = value *= 1664525;
      (&b[0][0])[i] = value *= 22695477;
    }
    MARK_BEG();
    spawn_tasks(8, multiply, nullptr);
    MARK_END();
  }
  simt_barrier(0, 1);
  spawn_tasks(64, check, right);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  unsigned wrong = 0;
  for (const bool one : right) wrong += !one;
  printf("%u of 64 sums are wrong\n", wrong);
  return wrong != 0;
}
