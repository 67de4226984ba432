// SPDX-License-Identifier: Apache-2.0
// Kernels for sample_test.py whose work groups take different times.
#include <arguments.h>
#include <spica/group.h>
#include <stdint.h>

struct Arguments {
  unsigned rounds;  // of the inner loop
  uint64_t numbers;  // address of 64 words for each work group
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1, 0xA0000000};

namespace {
/// Reads and writes the numbers of the work group `times` times.
SIMT_INLINE void work(const Arguments* a, unsigned times) {
  auto* const mine = reinterpret_cast<volatile unsigned*>(static_cast<uintptr_t>(a->numbers)) +
                     64 * spica::block_index().x + spica::group_thread();
  unsigned sum = 0;
  for (unsigned i = 0; i < times * a->rounds; ++i) sum = sum * 3 + *mine;
  *mine = sum;
}
}  // namespace

/// As many rounds as the Collatz sequence of the number of the work group has steps.
extern "C" void collatz(const Arguments* a) {
  unsigned n = spica::block_index().x + 1, steps = 1;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  work(a, steps);
}
SPICA_KERNEL(collatz, 64, 0);

/// The last tenth of the work groups takes three times as long.
extern "C" void change(const Arguments* a) {
  work(a, spica::block_index().x >= spica::grid_extent().x / 10 * 9 ? 60 : 20);
}
SPICA_KERNEL(change, 64, 0);

/// Each work group waits for its predecessor.
extern "C" void chain(const Arguments* a) {
  auto* const done = reinterpret_cast<volatile unsigned*>(static_cast<uintptr_t>(a->numbers));
  const unsigned number = spica::block_index().x;
  while (number != 0 && done[number - 1] == 0) continue;
  done[number] = 1;
}
SPICA_KERNEL(chain, 1, 0);
