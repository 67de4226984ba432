// SPDX-License-Identifier: Apache-2.0
// Two marked regions, one of integer additions and one of as many multiplications, with a pause between them.
#include <platform.h>
#include <simt.h>

namespace {

constexpr unsigned kTimes = 50000;

template <bool kMultiply>
[[gnu::noinline]] unsigned work(unsigned value) {
  for (unsigned i = 0; i < kTimes; ++i) {
    if (kMultiply) __asm__ volatile("mul %0, %0, %0" : "+r"(value));
    else __asm__ volatile("add %0, %0, %0" : "+r"(value));
  }
  return value;
}

}  // namespace

int main() {
  if (simt_core() != 0) return 0;
  MARK_BEG();
  unsigned value = work<false>(3);
  MARK_END();
  for (unsigned i = 0; i < 50; ++i) __asm__ volatile("nop");
  MARK_BEG();
  value = work<true>(value | 1);
  MARK_END();
  return value == 0 ? 1 : 0;
}
