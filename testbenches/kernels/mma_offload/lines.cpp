// SPDX-License-Identifier: Apache-2.0
// Loads that all miss, for load_store_units_test.py: each is the only one of its line. What they have read comes back as a
// sum.
#include <arguments.h>
#include <spica/group.h>

struct Arguments {
  unsigned rounds;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

constexpr unsigned kThreads = 256, kLines = 4096;
extern "C" {
unsigned lines[kLines * 32];
unsigned result[kThreads];

// Eight loads in flight for each warp.
void of_lines(const Arguments* arguments) {
  const unsigned thread = spica::group_thread(), warp = thread / 32;
  unsigned sum = 0;
  for (unsigned round = 0; round < arguments->rounds; ++round) {
    const volatile unsigned* const from = lines + (round * kThreads / 32 + warp) * 8 * 32 + thread % 32;
    unsigned words[8];
    for (unsigned i = 0; i < 8; ++i) words[i] = from[i * 32];
    for (unsigned i = 0; i < 8; ++i) sum += words[i];
  }
  result[thread] = sum;
}
}
SPICA_KERNEL(of_lines, kThreads, 0);
