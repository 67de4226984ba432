// SPDX-License-Identifier: Apache-2.0
// A program for sample_test.py: all warps do the units of a loop, which take times by kind.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <stdint.h>

struct Arguments {
  unsigned units;
  unsigned
      kind;  // 0: the same; 1: three times as long from nine tenths on; 2: as many rounds as a Collatz sequence has
  // steps; 3: the same, two loops; 4: the same, one unit more for warp 0 of core 0
  uint64_t numbers;  // address of a word for each thread
};
KERNEL_ARGUMENTS(Arguments, arguments) = {400, 0, 0xA0000000};

namespace {

unsigned rounds_of(unsigned unit, unsigned units, unsigned kind) {
  if (kind == 1) return unit >= units / 10 * 9 ? 60 : 20;
  if (kind != 2) return 20;
  unsigned n = unit + 1, steps = 1;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

void loop(volatile unsigned* mine, unsigned units, unsigned kind) {
  simt_units(units, 1);
  for (unsigned unit = 0; unit < units; ++unit) {
    unit = simt_unit(unit, 1);
    unsigned sum = 0;
    for (unsigned i = rounds_of(unit, units, kind); i != 0; --i) sum = sum * 3 + *mine;
    *mine = sum;
    simt_barrier(0, simt_warps());
  }
}

void task(unsigned thread, void*) {
  auto* const mine = reinterpret_cast<volatile unsigned*>(static_cast<uintptr_t>(arguments.numbers)) + thread;
  const unsigned kind = arguments.kind, more = kind == 4 && simt_warp() == 0 && simt_core() == 0 ? 1 : 0;
  loop(mine, arguments.units + more, kind);
  if (kind == 3) loop(mine, arguments.units, kind);
}

}  // namespace

int main() {
  spawn_tasks(spawn_threads(), task, nullptr);
  return 0;
}
