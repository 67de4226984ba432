// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of 4, 8 and 16 bytes by all warps, in groups; and mistakes with them, one per CASE of the test;
// 0: none. The lines named by comments are looked up by the test.
#include <arguments.h>
#include <pipeline.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>

struct Arguments {
  uint32_t number, words;  // words: of each warp, a multiple of 512
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

constexpr unsigned kStages = 4, kStageWords = 128;
alignas(16) uint32_t few[32] = {1, 2, 3, 4};

/// A warp moves its part of the operand to the result, through a ring in shared memory: a stage has the size of a copy.
template <unsigned bytes>
static void move(const uint32_t* from, uint32_t* to, uint32_t* ring, unsigned lane) {
  constexpr unsigned kWords = bytes / 4, kOfWarp = kWords * 32;
  const unsigned stages = arguments.words / kOfWarp;
  for (unsigned stage = 0; stage < stages + kStages - 1; ++stage) {
    if (stage < stages) {
      uint32_t* const at = ring + stage % kStages * kStageWords + lane * kWords;
      pipeline_memcpy_async<bytes>(at, from + stage * kOfWarp + lane * kWords);
    }
    pipeline_commit();
    pipeline_wait_prior<kStages - 1>();
    if (stage < kStages - 1) continue;
    const unsigned done = stage - (kStages - 1);
    // Words of other lanes, too: they are there when the group is.
    for (unsigned i = 0; i < kWords; ++i)
      to[done * kOfWarp + i * 32 + lane] = ring[done % kStages * kStageWords + i * 32 + lane];
    simt_fence();
  }
}

static void move_all(unsigned thread, void*) {
  const unsigned warp = thread / 32, lane = thread % 32;
  const auto* const from = reinterpret_cast<const uint32_t*>(PLATFORM_OPERAND_A) + warp * arguments.words;
  auto* const to = reinterpret_cast<uint32_t*>(PLATFORM_RESULT) + warp * arguments.words;
  auto* const ring = reinterpret_cast<uint32_t*>(PLATFORM_SHARED_BASE) + warp * kStages * kStageWords;
  if (warp % 3 == 0) move<4>(from, to, ring, lane);
  else if (warp % 3 == 1) move<8>(from, to, ring, lane);
  else move<16>(from, to, ring, lane);
}

static uint32_t* shared() { return reinterpret_cast<uint32_t*>(PLATFORM_SHARED_BASE); }

static void mistake(unsigned thread, void*) {
  const unsigned warp = thread / 32, lane = thread % 32, number = arguments.number;
  if (warp == 0) {
    pipeline_memcpy_async<4>(shared() + lane, few + lane); /* copy of the mistakes */
    if (number != 2) pipeline_commit();
    if (number == 2) pipeline_wait_prior<0>(); /* its copy is in no group */
    if (number == 3) pipeline_wait_prior<1>();
    if (number >= 4) pipeline_wait_prior<0>();
    if (number <= 3) few[lane] = shared()[lane]; /* read of cases 1 to 3 */
    if (number == 5) pipeline_memcpy_async<16>(shared() + 4 * lane, few + 1); /* not aligned */
    if (number == 6) pipeline_memcpy_async<4>(few + lane, few + lane); /* to global memory */
  }
  simt_barrier(0, 1);
  if (number == 4 && warp == 1) few[lane] = shared()[lane]; /* in order */
}

static void read_of_another(unsigned thread, void*) {
  const unsigned warp = thread / 32, lane = thread % 32;
  if (warp == 0) {
    pipeline_memcpy_async<4>(shared() + lane, few + lane); /* copy of case 7 */
    pipeline_commit();
  }
  simt_barrier(0, 1);
  if (warp == 1) few[lane] = shared()[lane]; /* read of case 7 */
  if (warp == 0) pipeline_wait_prior<0>();
}

int main() {
  if (arguments.number == 0) spawn_tasks(8 * 4 * 32, move_all, nullptr);
  else
    spawn_tasks(4 * 32, arguments.number == 7 ? read_of_another : mistake, nullptr);  // a warp on each core
  simt_barrier(0, 1);
  return 0;
}
