// SPDX-License-Identifier: Apache-2.0
// Kernels for streams_test.py: what a kernel leaves depends on what has run before it, so that a wrong order shows.
#include <arguments.h>
#include <spica/group.h>

#include "models/command_processor/command_processor_regs.h"

extern "C" {
unsigned a[2048], b[2048], c[2048], d[2048];
alignas(64) unsigned kept[8192], big[1 << 17];  // 32 and 512 KB
}

struct Arguments {
  unsigned factor, addend;
  unsigned* x;
  unsigned* y;
  unsigned* all[6];  // so that the linker keeps them
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1, 0, a, b, {a, b, c, d, kept, big}};

/// x = x * factor + addend
extern "C" void step(const Arguments* p) {
  const unsigned i = spica::global_index().x;
  p->x[i] = p->x[i] * p->factor + p->addend;
}
SPICA_KERNEL(step, 64, 0);

/// x += y, by way of shared memory
extern "C" void add(const Arguments* p) {
  auto* const shared = spica::group_shared<volatile unsigned>();
  const unsigned i = spica::global_index().x, mine = spica::group_thread(), all = spica::block_extent().x;
  shared[mine] = p->y[i];
  spica::group_barrier();
  // that of a neighbour, who has the one of this thread: a sum over the block does not depend on it
  const unsigned other = shared[all - 1 - mine];
  spica::group_barrier();
  shared[all - 1 - mine] = other;
  spica::group_barrier();
  p->x[i] += shared[mine];
}
SPICA_KERNEL(add, 64, 256);

/// Reads a word of each line of the first `addend` words of x, `factor` times.
extern "C" void walk(const Arguments* p) {
  const volatile unsigned* const x = p->x;
  for (unsigned round = 0; round < p->factor; ++round)
    for (unsigned i = 16 * spica::group_thread(); i < p->addend; i += 16 * spica::block_extent().x)
      static_cast<void>(x[i]);
}
SPICA_KERNEL(walk, 64, 0);

/// The first warp of a work group never comes to its barrier.
extern "C" void hangs(const Arguments*) {
  if (spica::group_rank() != 0) spica::group_barrier();
}
SPICA_KERNEL(hangs, 16, 0);

/// A packet for queue 5 and its doorbell, by the kernel itself: `factor` is the type of the packet.
alignas(64) unsigned packet[16];
unsigned object[8];

extern "C" void enqueue(const Arguments* p) {
  if (spica::global_index().x != 0) return;
  const auto address = [](const volatile void* at) {
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(at));
  };
  object[0] = static_cast<unsigned>(reinterpret_cast<uintptr_t>(&simt_start_group));
  object[1] = static_cast<unsigned>(reinterpret_cast<uintptr_t>(&step));
  object[3] = 1;
  packet[0] = p->factor | 1u << 8 | 3u << 16;
  packet[1] = 64 | 1u << 16;
  packet[2] = 1;
  packet[3] = 2048;
  packet[4] = packet[5] = 1;
  packet[8] = address(object);
  packet[10] = address(p);
  __asm__ volatile("fence" ::: "memory");
  auto* const queue = reinterpret_cast<volatile unsigned*>(0xFFFF0000 + 5 * COMMAND_PROCESSOR_QUEUE_BYTES);
  queue[COMMAND_PROCESSOR_BASE / 4] = address(packet);
  queue[COMMAND_PROCESSOR_PACKETS / 4] = 1;
  queue[COMMAND_PROCESSOR_DOORBELL / 4] = 1;
}
SPICA_KERNEL(enqueue, 8, 0);
