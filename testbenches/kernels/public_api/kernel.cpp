// SPDX-License-Identifier: Apache-2.0
// A kernel in the style of the public ones: tasks of all cores, whose lanes take different branches and loops.
#include <stdint.h>
#include <vx_intrinsics.h>
#include <vx_spawn.h>

constexpr uint32_t kTasks = 512;
extern "C" uint32_t lengths[kTasks];
uint32_t lengths[kTasks];

// How many numbers the walk from task_id + 1 to 1 has that halves even numbers and makes 3 n + 1 of odd ones.
static void kernel_body(int task_id, void*) {
  uint32_t number = static_cast<uint32_t>(task_id) + 1, length = 1;
  while (number != 1) {
    if (number % 2 == 0) number /= 2;
    else number = 3 * number + 1;
    ++length;
  }
  lengths[task_id] = length;
}

int main() {
  vx_spawn_tasks_cluster(kTasks, kernel_body, nullptr);
  return 0;
}
