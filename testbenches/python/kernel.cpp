// SPDX-License-Identifier: Apache-2.0
// Variables of many types, and ways to end, for the tests of the Python package.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <spica/group.h>
#include <stdio.h>

struct Pair {
  int32_t first;
  float second;
};
template <class T, unsigned n>
struct Array {
  T elements[n];
};
enum class Colour : uint8_t { kRed, kBlue };

extern "C" {
float x[64], y[64];
int32_t table[4][8];
volatile uint16_t halves[3] = {1, 2, 65535};
volatile double wide = 0.1;
volatile bool flag = true;
volatile uint32_t limit = 7;
Pair pairs[5];
Array<float, 6> wrapped;
volatile Colour colour = Colour::kBlue;
}
namespace deep {
int64_t counts[2][2] = {{1, -2}, {3, -4}};
}

struct Arguments {
  uint32_t n, mode;
  float factor;
  int32_t offset;
  double precise;
  uint64_t address;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {64, 0, 1, 0, 0.5, 0};

static void scale(unsigned i, void*) {
  y[i] = arguments.factor * x[i] + static_cast<float>(arguments.offset);
}

static void end_otherwise(unsigned mode) {
  static volatile uintptr_t nowhere = 16;
  if (mode == 1) *reinterpret_cast<volatile int*>(nowhere) = 1;  // mark: fault
  if (mode == 2)
    for (unsigned i = 0; i < 0xFFFF'FFFF; ++i) asm volatile("");  // minutes
  if (mode == 4) printf("caf\xe9\n");
}

/// For grids of work groups: each thread adds one to its element, and the work group's number to all of them.
extern "C" void groups() {
  const spica::Index3 at = spica::global_index();
  table[at.y][at.x] += static_cast<int32_t>(1 + 100 * spica::block_index().x + 1000 * spica::block_index().y);
}
SPICA_KERNEL(groups, 4, 0);

int main() {
  const unsigned mode = arguments.mode;
  spawn_tasks(arguments.n, scale, nullptr);
  simt_barrier(0, 1);  // all cores are done
  if (simt_core() != 0) return 0;
  for (unsigned row = 0; row < 4; ++row) table[row][0] += static_cast<int>(row);
  pairs[1].second = static_cast<float>(arguments.precise);
  deep::counts[1][1] += static_cast<int64_t>(arguments.address) + static_cast<int64_t>(wrapped.elements[0]);
  printf("%u elements\n", static_cast<unsigned>(arguments.n));
  (void)halves[0], (void)wide, (void)flag, (void)limit, (void)colour;  // or the linker leaves them out
  end_otherwise(mode);
  return mode == 3 ? 9 : 0;
}
