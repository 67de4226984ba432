// SPDX-License-Identifier: Apache-2.0
// A task for each element of C. Neighbouring lanes have neighbouring columns.
#include <math.h>

#include "gemm.h"

static void element(unsigned id, void* argument) {
  const auto& [a, b, c, m, n, k] = *static_cast<const Product*>(argument);
  const unsigned i = id / n, j = id % n;
  float sum = 0;
  for (unsigned step = 0; step < k; ++step) sum = fmaf(a(i, step), b(step, j), sum);
  c(i, j) = sum;
}

int main() { return run(arguments.m * arguments.n, element); }
