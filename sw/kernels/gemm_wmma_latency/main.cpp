// SPDX-License-Identifier: Apache-2.0
// The product of gemm_wmma with the clock read before and after each instruction on fragments.
//
// Shows: how long a load, a multiply-add (to its result) or a store takes while all warps are at work; with operands
// through shared memory, or straight from global memory.
//
// A grid of work groups of 16 warps, each with a block of 64x64 of C.
//
// Argument block
//    0  u32 instruction   which ones are written down: 0 loads of A and B, 1 multiply-adds, 2 stores of C
//    4  u32 global        0: through shared memory, 1: from global memory
//    8  u32 size          rows and columns of all matrices, a multiple of 64
// Writes cycles of each, 32 bits, from 0x9C000000 on, and prints "samples: N", how many.
#include <arguments.h>
#include <spica/group.h>
#include <stdio.h>
#include <stdlib.h>

#include "sw/kernels/gemm_wmma/wmma_block.h"

// In front of the stacks of all machines.
constexpr uintptr_t kA = 0x90000000, kB = 0x94000000, kC = 0x98000000, kSamples = 0x9C000000;
constexpr unsigned kWarps = 16, kBlock = 64;  // of a work group; rows and columns of C

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

unsigned samples_of_warp(const Arguments& a) {
  return a.instruction == kLoad ? 2 * a.size / kTile : a.instruction == kMultiply ? a.size / kTile : 1;
}

struct WorkGroup {
  __attribute__((always_inline)) static uint32_t* shared() { return spica::group_shared<uint32_t>(); }
  __attribute__((always_inline)) static void barrier() { spica::group_barrier(); }
};

}  // namespace

extern "C" void latency(const Arguments* a) {
  const unsigned blocks = a->size / kBlock, number = spica::block_index().x, thread = spica::group_thread();
  if (a->size % kBlock != 0 || spica::grid_extent().x < blocks * blocks) {
    if (number != 0 || spica::group_rank() != 0) return;
    SIMT_IF(simt_lane() == 0)
      printf("size must be a multiple of %u, and the grid have at least %u work groups\n", kBlock,
             blocks * blocks);
    SIMT_END_IF
    exit(1);
  }
  if (number >= blocks * blocks) return;
  const Product<float> p = {a->size,
                            a->size,
                            reinterpret_cast<const uint32_t*>(kA),
                            reinterpret_cast<const uint32_t*>(kB),
                            reinterpret_cast<float*>(kC),
                            kWarps,
                            kBlock / kTile,
                            kBlock / kTile,
                            a->size};
  const unsigned samples = samples_of_warp(*a);
  Meter meter(a->instruction,
              reinterpret_cast<uint32_t*>(kSamples) + (number * kWarps + spica::group_rank()) * samples,
              simt_lane());
  const unsigned row = number / blocks * kBlock, column = number % blocks * kBlock;
  if (a->global != 0) block<false, NaturalRows, WorkGroup>(p, thread, row, column, meter);
  else block<true, NaturalRows, WorkGroup>(p, thread, row, column, meter);
  meter.finish();
  if (number != 0 || spica::group_rank() != 0) return;
  SIMT_IF(simt_lane() == 0)
    printf("samples: %u\n", blocks * blocks * kWarps * samples);
  SIMT_END_IF
}
SPICA_KERNEL(latency, kWarps * 32, kBlock*(kDepth + kSkew) * 2 + kDepth * (kBlock + kSkew) * 2);
