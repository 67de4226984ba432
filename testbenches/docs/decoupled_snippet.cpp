// SPDX-License-Identifier: Apache-2.0
// The fragment about the decoupled tensor core in docs/howto/matrix-and-tensor-units.md: ones times ones.
#include <decoupled_tensor_core.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

static float c_tile[16 * 16];

static void multiply(unsigned a, unsigned b, unsigned c, unsigned k, unsigned row_bytes) {
  const unsigned lane = simt_lane();
  decoupled_tensor_clear();
  for (unsigned step = 0; step < k / 32; ++step) decoupled_tensor_multiply(a + 1024 * step, b + 1024 * step);
  decoupled_tensor_wait();
  decoupled_tensor_store(c + decoupled_tensor_row(lane) * row_bytes + 4 * decoupled_tensor_column(lane),
                         row_bytes);
}

static void task(unsigned, void*) {
  multiply(PLATFORM_SHARED_BASE, PLATFORM_SHARED_BASE + 0x4000, reinterpret_cast<unsigned>(c_tile), 64, 64);
  simt_fence();
}

int main() {
  if (simt_core() != 0) return 0;
  for (unsigned i = 0; i < 512; ++i) {
    reinterpret_cast<volatile unsigned*>(PLATFORM_SHARED_BASE)[i] = 0x3C003C00;  // two FP16 ones
    reinterpret_cast<volatile unsigned*>(PLATFORM_SHARED_BASE + 0x4000)[i] = 0x3C003C00;
  }
  simt_fence();
  spawn_tasks(simt_lanes(), task, nullptr);
  for (unsigned i = 0; i < 256; ++i)
    if (static_cast<volatile float*>(c_tile)[i] != 64) {
      printf("element %u is %f\n", i, c_tile[i]);
      return 1;
    }
  puts("right");
  return 0;
}
