// SPDX-License-Identifier: Apache-2.0
// The product of gemm_wmma with the clock read before and after each instruction on fragments.
//
// Shows: how long a load, a multiply-add (to its result) or a store takes while all warps are at work; with operands
// through shared memory, or straight from global memory.
//
// Argument block
//    0  u32 instruction   which ones are written down: 0 loads of A and B, 1 multiply-adds, 2 stores of C
//    4  u32 global        0: through shared memory, 1: from global memory
//    8  u32 size          rows and columns of all matrices, a multiple of 128
// Writes cycles of each, 32 bits, from 16 MB behind the start of C on, and prints "samples: N", how many; and "cycles:
// N".
#include <arguments.h>
#include <built_for.h>
#include <spawn.h>
#include <stdio.h>

#include "sw/kernels/gemm_wmma/wmma_block.h"

constexpr uintptr_t kSamples = PLATFORM_RESULT + 0x1000000;

struct Arguments {
  uint32_t instruction, global, size;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0, 128};

namespace {

enum Kind { kLoad, kMultiply, kStore };

/// Samples of a warp. Lane i keeps the i-th of 32, so that a store writes 32 at once.
class Meter {
 public:
  Meter(unsigned kind, uint32_t* samples, unsigned lane) : kind_(kind), next_(samples + lane), lane_(lane) {}
  template <class F>
  __attribute__((always_inline)) void load(F f) {
    measure(kLoad, f);
  }
  template <class F>
  __attribute__((always_inline)) void multiply(F f) {
    measure(kMultiply, f);
  }
  template <class F>
  __attribute__((always_inline)) void store(F f) {
    measure(kStore, f);
  }

  /// Writes down the last ones.
  void finish() {
    SIMT_IF(lane_ < count_)
      *next_ = sample_;
    SIMT_END_IF
  }

 private:
  template <class F>
  __attribute__((always_inline)) void measure(unsigned kind, F f) {
    const unsigned begin = simt_cycle();
    f();
    const unsigned cycles = simt_cycle() - begin;
    if (kind != kind_) return;
    sample_ = simt_select(lane_ == count_, cycles, sample_);
    if (++count_ != 32) return;
    *next_ = sample_;
    next_ += 32;
    count_ = 0;
  }

  const unsigned kind_;
  uint32_t* next_;
  const unsigned lane_;
  unsigned count_ = 0, sample_ = 0;
};

unsigned samples_of_warp(const Product<float>& p) {
  const unsigned tiles = (p.m / kTile) * (p.n / kTile) / p.warps;
  return tiles * (arguments.instruction == kLoad       ? 2 * p.k / kTile
                  : arguments.instruction == kMultiply ? p.k / kTile
                                                       : 1);
}

void task(unsigned thread, void* argument) {
  const auto& p = *static_cast<const Product<float>*>(argument);
  auto* const samples = reinterpret_cast<uint32_t*>(kSamples);
  Meter meter(arguments.instruction, samples + thread / 32 * samples_of_warp(p), thread % 32);
  for (unsigned row = 0; row < p.m; row += p.rows * kTile)
    for (unsigned column = 0; column < p.n; column += p.columns * kTile) {
      if (arguments.global != 0) block<false>(p, thread, row, column, meter);
      else block<true>(p, thread, row, column, meter);
    }
  meter.finish();
}

}  // namespace

int main() {
  const unsigned warps = spawn_threads() / 32, size = arguments.size;
  unsigned rows = 1;
  while (rows * rows < warps) rows *= 2;
  Product<float> product = {size,
                            size,
                            reinterpret_cast<const uint32_t*>(PLATFORM_OPERAND_A),
                            reinterpret_cast<const uint32_t*>(PLATFORM_OPERAND_B),
                            reinterpret_cast<float*>(PLATFORM_RESULT),
                            warps,
                            rows,
                            warps / rows,
                            size};
  if (size % (product.rows * kTile) != 0 || size % (product.columns * kTile) != 0) {
    if (simt_core() == 0)
      printf("size must be a multiple of %u and of %u\n", product.rows * kTile, product.columns * kTile);
    return 1;
  }
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(spawn_threads(), task, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  printf("cycles: %u\n", simt_cycle() - begin);
  printf("samples: %u\n", warps * samples_of_warp(product));
  return 0;
}
