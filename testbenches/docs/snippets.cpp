// SPDX-License-Identifier: Apache-2.0
// The fragments of docs/howto/matrix-and-tensor-units.md as a program: the page quotes these lines, and this program
// checks what they compute. Prints "right" or the first wrong element.
#include <matrix_unit.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <tensor_core.h>

static constexpr unsigned kSize = 64;
static float a_rows[kSize * kSize], b_rows[kSize * kSize], c_rows[kSize * kSize];
static float c_tile[8 * 8];

static void one_tile(unsigned a, unsigned b, unsigned c, unsigned n, unsigned k) {
  matrix_unit_config_execute(0);  // once
  matrix_unit_config_load(0, 0, k * 4);  // bytes from row to row of A
  matrix_unit_config_load(0, 1, n * 4);  // ... of B
  matrix_unit_config_store(0, n * 4);  // ... of C
  matrix_unit_loop_stride_ab(0, k, n);  // elements, for the next loop: a load
  matrix_unit_loop_address_ab(0, a, b);
  matrix_unit_cisc(0, MATRIX_UNIT_Q_LOAD_0);  // A to quarter 0 of shared memory, B to the end of quarter 2
  matrix_unit_fence(0);
  matrix_unit_cisc(0, MATRIX_UNIT_Q_COMPUTE_0);
  matrix_unit_fence(0);
  matrix_unit_loop_bounds(0, 8, 8, 8);  // blocks of 8 x 8
  matrix_unit_loop_address_dc(0, 0, c);
  matrix_unit_loop_stride_dc(0, 0, n);
  matrix_unit_loop(0, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  matrix_unit_fence(0);  // C is in global memory
}

/// A and B in shared memory, k words deep, 64 rows of A (columns of B) contiguous: the corner of C.
static void one_fragment(unsigned a, unsigned b, unsigned c, unsigned k, unsigned row_bytes) {
  const unsigned lane = simt_lane();
  tensor_core_clear<0>();
  // A and B in shared memory, 64 rows of A (columns of B) contiguous for each k
  for (unsigned step = 0; step < k / 8; ++step) {
    tensor_core_load_b<256>(b + step * 2048 + 4 * lane);  // eight words, 256 bytes apart
    tensor_core_load_a<256>(a + step * 2048 + 4 * lane);
    tensor_core_multiply<0>();
  }
  tensor_core_store<0>(c + tensor_core_row(lane) * row_bytes + 4 * tensor_core_column(lane), 2 * row_bytes);
}

static void fragment_task(unsigned, void*) {
  one_fragment(PLATFORM_SHARED_BASE, PLATFORM_SHARED_BASE + 0x4000, reinterpret_cast<unsigned>(c_tile), 16,
               32);
  simt_fence();
}

static int wrong(const char* what, unsigned row, unsigned column, float is, float wanted) {
  if (is == wanted) return 0;
  printf("%s: row %u, column %u is %f, not %f\n", what, row, column, is, wanted);
  return 1;
}

int main() {
  if (simt_core() != 0) return 0;
  for (unsigned i = 0; i < kSize * kSize; ++i) {
    a_rows[i] = static_cast<float>(i % 7);
    b_rows[i] = static_cast<float>(i % 5);
  }
  simt_fence();
  one_tile(reinterpret_cast<unsigned>(a_rows), reinterpret_cast<unsigned>(b_rows),
           reinterpret_cast<unsigned>(c_rows), kSize, kSize);
  for (unsigned j = 0; j < kSize; ++j) {
    float sum = 0;
    for (unsigned k = 0; k < kSize; ++k) sum += a_rows[9 * kSize + k] * b_rows[k * kSize + j];
    if (wrong("matrix unit", 9, j, c_rows[9 * kSize + j], sum)) return 1;
  }

  auto* const a = reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE);
  auto* const b = reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE + 0x4000);
  for (unsigned k = 0; k < 16; ++k)
    for (unsigned i = 0; i < 64; ++i) {
      a[k * 64 + i] = static_cast<float>(k + i);
      b[k * 64 + i] = static_cast<float>(2 * k) - static_cast<float>(i);
    }
  simt_fence();
  spawn_tasks(simt_lanes(), fragment_task, nullptr);
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      float sum = 0;
      for (unsigned k = 0; k < 16; ++k) sum += a[k * 64 + row] * b[k * 64 + column];
      if (wrong("tensor core", row, column, static_cast<volatile float*>(c_tile)[row * 8 + column], sum))
        return 1;
    }
  puts("right");
  return 0;
}
