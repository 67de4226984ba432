// SPDX-License-Identifier: Apache-2.0
// Loads of one kind in a row, for load_store_units_test.py: all lanes of all warps read shared memory, or global memory
// that the level 1 cache holds, or both in turn. What they have read comes back as a sum.
#include <arguments.h>
#include <spica/group.h>

struct Arguments {
  unsigned rounds;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

constexpr unsigned kThreads = 256, kWords = 1024;
extern "C" {
unsigned table[kWords];
unsigned result[kThreads];
}

namespace {

// Eight loads in flight, `distance` words apart.
template <class Word>
SIMT_INLINE unsigned read(const volatile Word* from, unsigned distance) {
  unsigned words[8];
  for (unsigned i = 0; i < 8; ++i) words[i] = from[i * distance];
  unsigned sum = 0;
  for (unsigned i = 0; i < 8; ++i) sum += words[i];
  return sum;
}

template <bool of_shared, bool of_global>
void loads(const Arguments* arguments) {
  auto* const shared = spica::group_shared<unsigned>();
  const unsigned thread = spica::group_thread(), lane = thread % 32;
  for (unsigned word = thread; word < kWords; word += kThreads) shared[word] = word;
  for (unsigned word = thread; word < kWords; word += kThreads) table[word] = word;
  spica::group_barrier();
  unsigned sum = 0;
  for (unsigned round = 0; round < arguments->rounds; ++round) {
    if (of_shared) sum += read<unsigned>(shared + lane, 32);
    if (of_global) sum += read<unsigned>(table + lane, 32);
  }
  result[thread] = sum;
}

}  // namespace

extern "C" void of_shared(const Arguments* arguments) { loads<true, false>(arguments); }
extern "C" void of_global(const Arguments* arguments) { loads<false, true>(arguments); }
extern "C" void of_both(const Arguments* arguments) { loads<true, true>(arguments); }
SPICA_KERNEL(of_shared, kThreads, kWords * sizeof(unsigned));
SPICA_KERNEL(of_global, kThreads, kWords * sizeof(unsigned));
SPICA_KERNEL(of_both, kThreads, kWords * sizeof(unsigned));
