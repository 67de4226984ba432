// SPDX-License-Identifier: Apache-2.0
// y = softmax(x) of each row of a matrix, FP32: exp(x - m) / sum of exp(x - m), m the largest of the row.
//
// Shows: a warp per row, whose lanes go along it side by side; what the lanes found meets in shared memory, half of
// them each time. Three passes: the largest, the exponentials and their sum, the division.
//
// Argument block
//    0  u32 rows, columns   any
//    8  u32 flags           bit 0: fill x first; bit 1: check y by other code
//   12  u32                 not used
//   16  u64 x, y            addresses, row-major
// Prints "cycles: N": from the start to the moment all cores are done. Exit code 1 and a message when an element is
// wrong.
#include <arguments.h>
#include <built_for.h>
#include <exponential.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

BUILT_FOR("clusters", 1);

struct Arguments {
  uint32_t rows, columns, flags, unused;
  uint64_t x, y;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {64, 500, 3, 0, PLATFORM_OPERAND_A, PLATFORM_RESULT};

struct Rows {
  unsigned columns;
  float *x, *y;
  unsigned wrong;
};

static constexpr float kLowest = -3.4e38f;

/// Of the warp that runs it: a word for each lane.
static volatile float* scratch() {
  const unsigned warp = simt_core() * simt_warps() + simt_warp();
  return reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE) + warp * simt_lanes();
}

/// The same in all lanes: what `join` makes of their values.
template <class Join>
SIMT_INLINE float of_all_lanes(volatile float* words, unsigned lane, float value, Join join) {
  for (unsigned distance = simt_lanes() / 2; distance != 0; distance /= 2) {
    words[lane] = value;
    simt_fence();
    value = join(value, words[lane ^ distance]);
    simt_fence();
  }
  return value;
}

static void fill(unsigned i, void* argument) {
  const auto& rows = *static_cast<const Rows*>(argument);
  // Spread over [-8, 8) in steps of 1/64, in no order.
  rows.x[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 22) - 512) * 0x1p-6f;
}

static void softmax(unsigned id, void* argument) {
  const auto& rows = *static_cast<const Rows*>(argument);
  const unsigned lanes = simt_lanes(), lane = id % lanes, columns = rows.columns;
  const unsigned whole = columns / lanes * lanes, left = columns - whole;
  const float* const x = rows.x + id / lanes * columns + lane;
  float* const y = rows.y + id / lanes * columns + lane;
  volatile float* const words = scratch();

  float largest = kLowest;
  for (unsigned i = 0; i < whole; i += lanes) largest = fmaxf(largest, x[i]);
  SIMT_IF(lane < left)
    largest = fmaxf(largest, x[whole]);
  SIMT_END_IF
  largest = of_all_lanes(words, lane, largest, [](float a, float b) { return fmaxf(a, b); });

  float sum = 0;
  for (unsigned i = 0; i < whole; i += lanes) {
    const float power = exponential_negative(x[i] - largest);
    y[i] = power;
    sum += power;
  }
  SIMT_IF(lane < left)
    const float power = exponential_negative(x[whole] - largest);
    y[whole] = power;
    sum += power;
  SIMT_END_IF
  const float scale = 1.0f / of_all_lanes(words, lane, sum, [](float a, float b) { return a + b; });

  for (unsigned i = 0; i < whole; i += lanes) y[i] *= scale;
  SIMT_IF(lane < left)
    y[whole] *= scale;
  SIMT_END_IF
}

/// One row in one lane, by the other exponential. The sum of the row may be off by a rounding for each element.
static void check(unsigned row, void* argument) {
  auto& rows = *static_cast<Rows*>(argument);
  const unsigned columns = rows.columns;
  const float *const x = rows.x + row * columns, *const y = rows.y + row * columns;
  float largest = kLowest, sum = 0;
  for (unsigned i = 0; i < columns; ++i) largest = fmaxf(largest, x[i]);
  for (unsigned i = 0; i < columns; ++i) sum += exponential_exact(x[i] - largest);
  const float bound = static_cast<float>(columns + 8) * 0x1p-23f;
  unsigned wrong = 0;
  for (unsigned i = 0; i < columns; ++i) {
    const float expected = exponential_exact(x[i] - largest) / sum;
    wrong += !(fabsf(y[i] - expected) <= bound * expected);
  }
  __atomic_fetch_add(&rows.wrong, wrong, __ATOMIC_RELAXED);
}

static Rows matrix;

int main() {
  const unsigned rows = arguments.rows, flags = arguments.flags;
  if (simt_core() == 0)
    matrix = {arguments.columns, ARGUMENT_POINTER(float, arguments.x), ARGUMENT_POINTER(float, arguments.y),
              0};
  simt_barrier(0, 1);
  if ((flags & 1) != 0) spawn_tasks(rows * matrix.columns, fill, &matrix);
  simt_barrier(0, 1);
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(rows * simt_lanes(), softmax, &matrix);
  simt_barrier(0, 1);
  if (simt_core() == 0) MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  if ((flags & 2) != 0) spawn_tasks(rows, check, &matrix);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;

  printf("cycles: %u\n", cycles);
  if (matrix.wrong != 0) {
    printf("FAIL: %u elements of %u rows of %u are wrong\n", matrix.wrong, rows, matrix.columns);
    return 1;
  }
  if ((flags & 2) != 0) printf("PASS: %u rows of %u\n", rows, matrix.columns);
  return 0;
}
