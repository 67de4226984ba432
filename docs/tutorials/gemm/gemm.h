// SPDX-License-Identifier: Apache-2.0
// What the six kernels of the tutorial share: arguments, and main() up to the task that multiplies.
#pragma once

#include <arguments.h>
#include <spawn.h>
#include <spica/simt.h>

// As `arguments` of the designs (1_naive.yaml and the others) has them. All matrices are row-major.
struct Arguments {
  uint32_t a, b, c, m, n, k;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

struct Product {
  spica::Matrix<const float> a, b;
  spica::Matrix<float> c;
  unsigned m, n, k;
};

/// Runs task(0..tasks-1, Product*) on all cores; the cycles from the first task to the end of the last are what counts.
static int run(unsigned tasks, spawn_task task) {
  Product product = {{ARGUMENT_POINTER(const float, arguments.a), arguments.k},
                     {ARGUMENT_POINTER(const float, arguments.b), arguments.n},
                     {ARGUMENT_POINTER(float, arguments.c), arguments.n},
                     arguments.m,
                     arguments.n,
                     arguments.k};
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(tasks, task, &product);
  simt_barrier(0, 1);  // all cores are done
  if (simt_core() == 0) MARK_END();
  return 0;
}
