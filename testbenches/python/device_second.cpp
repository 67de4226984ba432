// SPDX-License-Identifier: Apache-2.0
// The second one, at another address.
#include <spica/group.h>

struct Arguments {
  unsigned n;
  float value;
  float* x;
};

extern "C" void scale(const Arguments* a) {
  const unsigned i = spica::global_index().x;
  a->x[i] *= a->value;
}

/// Each work group adds up its part of x by shared memory, whose size the launch sets.
extern "C" void add_up(const Arguments* a) {
  float* const part = spica::group_shared<float>();
  const unsigned thread = spica::group_thread(), threads = spica::block_extent().x;
  part[thread] = a->x[spica::global_index().x];
  spica::group_barrier();
  float sum = 0;
  for (unsigned i = 0; i < threads; ++i) sum += part[i];
  a->x[spica::global_index().x] = sum;
}

extern "C" void fails(const Arguments* a) { *reinterpret_cast<volatile unsigned*>(0x10u) = a->n; }

extern "C" void waits(const Arguments* a) {
  volatile unsigned* const flag = reinterpret_cast<volatile unsigned*>(a->x);
  while (*flag == 0) {
  }
}

SPICA_KERNEL(scale, 64, 0);
SPICA_KERNEL(add_up, 0, 0);
SPICA_KERNEL(fails, 8, 0);
SPICA_KERNEL(waits, 8, 0);

/// Some warps return before a barrier: undefined in OpenCL, works on GPUs.
extern "C" void returns_early(const Arguments* a) {
  if (spica::group_rank() % 2 != 0) return;
  spica::group_barrier();
  a->x[spica::global_index().x] += a->value;
  spica::group_barrier();
}

SPICA_KERNEL(returns_early, 64, 0);
