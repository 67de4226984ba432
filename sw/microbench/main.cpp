// SPDX-License-Identifier: Apache-2.0
// Small measurements of single blocks, chosen by the argument block; see microbench.h.
//
// Every sequence runs twice, short and long version alternately. The first time puts the code into
// the instruction cache; of the second, the difference between long and short counts.
#include "microbench.h"

#include <arguments.h>
#include <simt.h>
#include <spawn.h>

KERNEL_ARGUMENTS(Arguments, arguments) = {};
extern "C" {
Result result;
}

Result measure_dma(const volatile Arguments& arguments);
Result measure_matrix(const volatile Arguments& arguments);

namespace {

using Sequence = unsigned (*)(unsigned address, unsigned stride, unsigned* times, unsigned warps);
struct Entry {
  Sequence run[2];  // short, long
  unsigned operations;
};
extern "C" const Entry microbench_sequences[];

constexpr unsigned kMaxWarps = 256;
constexpr unsigned kWarpsBarrier = 2;  // as in sequences.S
unsigned times[2][kMaxWarps][2];  // by version and warp of the machine: mcycle before and after

// Makes memory what the measurement wants to find.
void fill(unsigned address) {
  const unsigned kind = arguments.fill, stride = arguments.stride, bytes = arguments.bytes;
  auto* const word = reinterpret_cast<volatile unsigned*>(address);
  if (kind == MICROBENCH_SELF) *word = address;
  if (kind == MICROBENCH_RING)
    for (unsigned at = 0; at < bytes; at += stride)
      word[at / 4] = address + (at + stride < bytes ? at + stride : 0);
  if (kind == MICROBENCH_WALK)
    for (unsigned at = 0; at < bytes; at += stride) (void)word[at / 4];
  simt_fence();
}

/// Its code and that of a sequence are in different sets of the instruction cache (sequences.S).
[[gnu::noinline, gnu::aligned(4096)]] void run_versions(const Entry& entry, unsigned address, unsigned stride,
                                                        unsigned number, unsigned warps) {
#pragma GCC unroll 1
  for (unsigned run = 0; run < 4; ++run)
    address = entry.run[run % 2](address, stride, times[run % 2][number], warps);
}

void run_sequence(unsigned, void*) {
  const unsigned warps = arguments.warps, stride = arguments.stride;
  const unsigned lane = simt_lane(), warp = simt_warp(), core = simt_core();
  const unsigned active = lane < arguments.lanes;
  const unsigned number = core * simt_warps() + warp;
  const Entry& entry = microbench_sequences[arguments.sequence];
  unsigned address =
      arguments.lane_address[lane] + core * arguments.core_offset + warp * arguments.warp_offset;
  if (core < arguments.cores) {
    SIMT_IF(active)
      fill(address);
    SIMT_END_IF
  }
  if (core < arguments.cores) {
    SIMT_IF(active)
      run_versions(entry, address, stride, number, warps);
    SIMT_END_IF
  } else {
    for (unsigned run = 0; run < 4; ++run) {
      simt_bar(kWarpsBarrier, warps);
      simt_bar(kWarpsBarrier, warps);
    }
  }
  simt_barrier(1, warps);
}

/// From the first warp that began to the last that ended.
unsigned duration(unsigned version) {
  unsigned begin = ~0u, end = 0;
  for (unsigned core = 0; core < arguments.cores; ++core) {
    for (unsigned warp = 0; warp < arguments.warps; ++warp) {
      const unsigned* const time = times[version][core * simt_warps() + warp];
      if (time[0] < begin) begin = time[0];
      if (time[1] > end) end = time[1];
    }
  }
  return end - begin;
}

}  // namespace

int main() {
  if (simt_warps() * simt_cores() > kMaxWarps) return 2;
  if (arguments.mode == MICROBENCH_SEQUENCE) {
    spawn_tasks(simt_lanes() * simt_cores() * arguments.warps, run_sequence, nullptr);
    if (simt_core() == 0)
      result = {duration(1) - duration(0), microbench_sequences[arguments.sequence].operations};
  } else if (simt_core() == 0) {
    result = arguments.mode == MICROBENCH_DMA ? measure_dma(arguments) : measure_matrix(arguments);
  }
  return 0;
}
