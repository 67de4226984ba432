// SPDX-License-Identifier: Apache-2.0
// An example of docs/howto/find-a-memory-error.md: how many values are 0 to 9, 10 to 19, ... 100. With -DFIXED
// there is also a place for 100.
#include <simt.h>
#include <spawn.h>
#include <stdlib.h>

#ifdef FIXED
constexpr unsigned kBins = 11;
#else
constexpr unsigned kBins = 10;
#endif

static unsigned char values[256];
static unsigned* bins;

static void count(unsigned thread, void*) {
  __atomic_fetch_add(&bins[values[thread] / 10], 1, __ATOMIC_RELAXED);
}

int main() {
  const bool first = simt_core() == 0;
  if (first) {
    for (unsigned i = 0; i < 256; ++i) values[i] = i * 7 % 101;
    bins = static_cast<unsigned*>(calloc(kBins, sizeof *bins));
  }
  simt_barrier(0, 1);
  spawn_tasks(256, count, nullptr);
  simt_barrier(0, 1);
  if (!first) return 0;
  unsigned all = 0;
  for (unsigned bin = 0; bin < kBins; ++bin) all += bins[bin];
  return all == 256 ? 0 : 1;
}
