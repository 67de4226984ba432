// SPDX-License-Identifier: Apache-2.0
// Marked loads of words, for multicast_test.py. Each thread adds up words of shared memory, which between two barriers
// stay as they are. `same`: all warps read the same words; `apart`: each has its own; `skip`: one warp leaves every
// third out; `stores`: a warp stores to a word of its own between its loads of it.
#include <arguments.h>
#include <simt.h>
#include <spica/group.h>

struct Arguments {
  unsigned rounds;
  unsigned marked;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1, 1};

constexpr unsigned kMostThreads = 512, kWords = 1024;
extern "C" {
unsigned result[kMostThreads];
}

namespace {

SIMT_INLINE unsigned load(unsigned marked, const volatile unsigned* word) {
  return marked != 0 ? simt_multicast_load(const_cast<const unsigned*>(word)) : *word;
}

enum class Kind { kSame, kApart, kSkip, kStores };

template <Kind kind>
void loads(const Arguments* arguments) {
  volatile unsigned* const shared = spica::group_shared<unsigned>();
  const unsigned thread = spica::group_thread(), threads = spica::block_extent().x, warp = thread / 32;
  unsigned sum = 0;
  for (unsigned round = 0; round < arguments->rounds; ++round) {
    for (unsigned word = thread; word < kWords; word += threads) shared[word] = word * 3 + round;
    spica::group_barrier();
    const unsigned first = kind == Kind::kApart || kind == Kind::kStores ? warp * 32 % kWords : 0;
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned at =
          (first + thread % 32 + (kind == Kind::kSame || kind == Kind::kSkip ? 32 * i : 0)) % kWords;
      if (kind == Kind::kSkip && warp == 1 && i % 3 == 0) continue;
      sum = sum * 5 + load(arguments->marked, shared + at);
      if (kind == Kind::kStores) shared[at] = sum;
    }
    spica::group_barrier();
  }
  result[thread] = sum;
}

}  // namespace

extern "C" void same(const Arguments* arguments) { loads<Kind::kSame>(arguments); }
extern "C" void apart(const Arguments* arguments) { loads<Kind::kApart>(arguments); }
extern "C" void skip(const Arguments* arguments) { loads<Kind::kSkip>(arguments); }
extern "C" void stores(const Arguments* arguments) { loads<Kind::kStores>(arguments); }
SPICA_KERNEL(same, 128, kWords * sizeof(unsigned));
SPICA_KERNEL(apart, 128, kWords * sizeof(unsigned));
SPICA_KERNEL(skip, 128, kWords * sizeof(unsigned));
SPICA_KERNEL(stores, 128, kWords * sizeof(unsigned));
