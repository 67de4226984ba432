// SPDX-License-Identifier: Apache-2.0
// Runs on the machine: out[i] = in[i] * in[i], one element per lane.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct Arguments {
  uint32_t count, unused;
  uint64_t in, out;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0, PLATFORM_OPERAND_A, PLATFORM_RESULT};

static void square(unsigned i, void*) {
  const unsigned value = ARGUMENT_POINTER(unsigned, arguments.in)[i];
  ARGUMENT_POINTER(unsigned, arguments.out)[i] = value * value;
}

int main() {
  spawn_tasks(arguments.count, square, nullptr);
  simt_barrier(0, 1);  // all cores are done
  if (simt_core() == 0) printf("%u squares\n", static_cast<unsigned>(arguments.count));
  return 0;
}
