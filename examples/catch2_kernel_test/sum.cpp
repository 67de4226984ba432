// SPDX-License-Identifier: Apache-2.0
// Runs on the machine: the sum of the first n values.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>

extern "C" {
int values[1024];
int total;
}

struct Arguments {
  uint32_t n;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1024};

static void add(unsigned i, void*) { __atomic_fetch_add(&total, values[i], __ATOMIC_RELAXED); }

int main() {
  spawn_tasks(arguments.n, add, nullptr);
  return 0;
}
