// SPDX-License-Identifier: Apache-2.0
// Steps of the Collatz sequence for 1..tasks. The worked example of docs/howto/write-a-kernel.md.
//
// Shows: lanes that diverge and reconverge, in a loop and in an if; printing from some of them.
//
// Argument block
//    0  u32 tasks
//    4  u32             not used
//    8  u64 steps       address of one word per task
// Exit code 1 when the number of steps of 27 is not 111 (looked at when there are 27 tasks).
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct Arguments {
  uint32_t tasks, unused;
  uint64_t steps;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {100, 0, PLATFORM_RESULT};

static void collatz(unsigned id, void* argument) {
  auto* const steps = static_cast<unsigned*>(argument);
  unsigned n = id + 1, count = 0;
  SIMT_WHILE(n != 1)
    SIMT_IF((n & 1) != 0)
      n = 3 * n + 1;
      SIMT_ELSE
      n = n / 2;
    SIMT_END_IF
    ++count;
  SIMT_END_WHILE
  steps[id] = count;
  SIMT_IF(count > 115)
    printf("%u takes %u steps\n", id + 1, count);
  SIMT_END_IF
}

int main() {  // every core gets here, in warp 0 with lane 0
  auto* const steps = ARGUMENT_POINTER(unsigned, arguments.steps);
  const unsigned tasks = arguments.tasks;
  spawn_tasks(tasks, collatz, steps);
  simt_barrier(0, 1);  // one warp of each core: all cores are done
  return simt_core() == 0 && tasks >= 27 && steps[26] != 111 ? 1 : 0;
}
