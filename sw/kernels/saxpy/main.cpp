// SPDX-License-Identifier: Apache-2.0
// y[i] = alpha * x[i] + y[i], FP32, rounded after the multiplication and after the addition.
//
// Shows: floating point, printing a float, a check that compares bits.
//
// Argument block
//    0  u32 n           elements
//    4  u32 flags       bit 0: fill x and y first (x[i] = i / 4, y[i] = 1 - i)
//    8  f32 alpha
//   12  u32             not used
//   16  u64 x, y        addresses
//   32  u64 check       address of n words for a copy of y before the operation; 0: do not check
// Exit code 1 and a message when an element is wrong.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct Arguments {
  uint32_t n, flags;
  float alpha;
  uint32_t unused;
  uint64_t x, y, check;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {
    1000, 1, 2.5f, 0, PLATFORM_OPERAND_A, PLATFORM_OPERAND_B, PLATFORM_OPERAND_C};

struct Vectors {
  float alpha;
  float *x, *y, *check;
};

static void fill(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.x[i] = static_cast<float>(i) * 0.25f;
  vectors.y[i] = 1.0f - static_cast<float>(i);
}

static void copy(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.check[i] = vectors.y[i];
}

static void saxpy(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.y[i] = vectors.alpha * vectors.x[i] + vectors.y[i];
}

static unsigned bits(float value) {
  unsigned word;
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}

int main() {
  const unsigned n = arguments.n;
  Vectors vectors = {arguments.alpha, ARGUMENT_POINTER(float, arguments.x),
                     ARGUMENT_POINTER(float, arguments.y), ARGUMENT_POINTER(float, arguments.check)};
  const bool check = vectors.check != nullptr;
  // Task i runs on the same hardware thread each time, so no barrier is needed in between.
  if ((arguments.flags & 1) != 0) spawn_tasks(n, fill, &vectors);
  if (check) spawn_tasks(n, copy, &vectors);
  const unsigned begin = simt_cycle();
  MARK_BEG();
  spawn_tasks(n, saxpy, &vectors);
  simt_barrier(0, 1);  // one warp per core: all cores of this cluster are done
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  spawn_barrier();  // all clusters
  if (simt_core() != 0) return 0;

  printf("cycles: %u\n", cycles);
  for (unsigned i = 0; check && i < n; ++i) {
    const float expected = vectors.alpha * vectors.x[i] + vectors.check[i];
    if (bits(expected) != bits(vectors.y[i])) {
      printf("FAIL: y[%u] is %.9g, must be %.9g\n", i, static_cast<double>(vectors.y[i]),
             static_cast<double>(expected));
      return 1;
    }
  }
  if (check) printf("PASS: %u elements, alpha %g\n", n, static_cast<double>(vectors.alpha));
  return 0;
}
