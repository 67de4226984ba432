// SPDX-License-Identifier: Apache-2.0
// An example with a bug (docs/howto/read-a-hang-report.md): sums up 200 numbers with 256 threads, but some
// warps leave before the barrier.
#include "simt.h"
#include "spawn.h"
#include "stdio.h"

namespace {

constexpr unsigned kNumbers = 200;
unsigned partial[32];  // by warp of the machine

void add_up(unsigned id, void*) {
  const unsigned warp = simt_warp(), all = simt_cores() * simt_warps();
  const unsigned me = simt_core() * simt_warps() + warp;
  const unsigned lanes = simt_lanes();
  if (me * lanes >= kNumbers) return;  // nothing to do for this warp
  partial[me] = lanes;  // one for each number
  simt_barrier(0, simt_warps());
  if (me != 0) return;
  unsigned sum = 0;
  for (unsigned i = 0; i < all; ++i) sum += partial[i];
  SIMT_IF(id % lanes == 0)
    printf("sum %u\n", sum);
  SIMT_END_IF
}

}  // namespace

int main() {
  spawn_tasks(spawn_threads(), add_up, nullptr);
  return 0;
}
