// SPDX-License-Identifier: Apache-2.0
// Two passes over memory, for checkpoint_test.py: the first one fills the caches; the second one, between markers,
// finds half of it there and pushes dirty lines out. A thread of each core takes its blocks in turn.
#include <simt.h>

namespace {
constexpr unsigned kBytes = 32, kBlocks = 8192;  // 256 KiB: half of the level 2 cache of `virgo`

void pass(unsigned from, unsigned blocks) {
  for (unsigned i = from + simt_core(); i < from + blocks; i += simt_cores()) {
    auto* const word = reinterpret_cast<volatile unsigned*>(0xA0000000 + i * kBytes);
    const unsigned value = *word;
    if (i / simt_cores() % 4 == 0) *word = value + 1;
  }
}
}  // namespace

int main() {
  pass(0, 2 * kBlocks);
  simt_barrier(0, 1);
  MARK_BEG();
  pass(kBlocks, 2 * kBlocks);
  simt_barrier(0, 1);
  MARK_END();
  return 0;
}
