// SPDX-License-Identifier: Apache-2.0
// The first of two programs on a device. All lanes of a warp do the same, so that no branch diverges.
#include <spica/group.h>

struct Arguments {
  unsigned n;
  float value;
  float* x;
};

unsigned launches;  // of `add`, counted by the first warp

extern "C" void add(const Arguments* a) {
  const unsigned i = spica::global_index().x;
  a->x[i] += a->value;
  if (spica::block_index().x == 0 && spica::group_rank() == 0) launches = launches + 1;
}

extern "C" void nothing(const void*) {}

SPICA_KERNEL(add, 64, 0);
SPICA_KERNEL(nothing, 64, 0);
