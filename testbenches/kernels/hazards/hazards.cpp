// SPDX-License-Identifier: Apache-2.0
// Programs with one hazard each, chosen by an argument, and the same programs without it: hazards_test.py knows
// which two lines the checker must name. A line is found by its mark, /* case: first */ or /* case: second */.
// Arguments: u32 case, u32 bug (1: with the hazard). For the configuration virgo.
#include <arguments.h>
#include <matrix_unit.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>

struct Arguments {
  uint32_t number, bug;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1, 1};

#define CASE(name) __attribute__((noinline)) static void name([[maybe_unused]] bool bug)

using Word = volatile unsigned;

alignas(64) static unsigned matrix_a[64 * 64], matrix_b[64 * 64], matrix_c[64 * 64], words[64];
static unsigned flag, counter, result[8];

static inline Word* shared(unsigned word) { return reinterpret_cast<Word*>(PLATFORM_SHARED_BASE) + word; }
static inline Word* global(unsigned word) { return words + word; }
static inline bool is(unsigned core, unsigned warp) { return simt_core() == core && simt_warp() == warp; }
// The CSR is read before the fence: behind it, the access would wait for the stores where the barrier does not.
static inline void barrier() { simt_barrier(0, simt_opaque(simt_warps())); }
// Of a reader, so that it is second in time as well: before the store it would also read unwritten memory.
static inline void come_late() {
  for (unsigned turns = 500; turns != 0; --turns) __asm__ volatile("");
}
static inline unsigned address(const void* of) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(of));
}

constexpr unsigned kUnit = 0, kQuarterWords = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned kBlocks = 64 / MATRIX_UNIT_DIM;

// The driver's parts: one lane of warp 0 of core 0.
static inline void settings() {
  matrix_unit_config_execute(kUnit);
  matrix_unit_config_load(kUnit, 0, 64 * 4);
  matrix_unit_config_load(kUnit, 1, 64 * 4);
  matrix_unit_config_store(kUnit, 64 * 4);
  for (unsigned slot = 0; slot < 2; ++slot) {  // a loop without effect but that the other slot is next
    matrix_unit_loop_address_ab(kUnit, address(matrix_a), address(matrix_b));
    matrix_unit_loop_address_dc(kUnit, 0, address(matrix_c));
    matrix_unit_loop_stride_ab(kUnit, 64, 64);
    matrix_unit_loop_stride_dc(kUnit, 64, 64);
    matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
    matrix_unit_loop(kUnit, 0x2F8, 0, 0);
  }
}
static inline void wait() {
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(kUnit);
}
static inline void cisc(unsigned command) { matrix_unit_cisc(kUnit, command); }
// Both tiles in buffer 0, and C in the accumulator.
static inline void load_and_compute() {
  cisc(MATRIX_UNIT_Q_LOAD_0);
  wait();
  cisc(MATRIX_UNIT_Q_COMPUTE_0);
  wait();
}
#define DRIVER                                 \
  {                                            \
    const unsigned driver_ = simt_hart() == 0; \
    SIMT_IF(driver_)
#define END_DRIVER \
  SIMT_END_IF      \
  }

// ---- warps ------------------------------------------------------------------------------------
CASE(warps_of_a_core) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) *shared(lane) = lane; /* warps_of_a_core: first */
  if (!bug) barrier();
  if (is(0, 1)) come_late(), result[lane] = *shared(lane); /* warps_of_a_core: second */
}

CASE(warps_of_two_cores) {
  const unsigned lane = simt_lane();
  if (is(0, 3)) *shared(64 + lane) = lane; /* warps_of_two_cores: first */
  if (!bug) barrier();
  if (is(2, 5)) come_late(), result[lane] = *shared(64 + lane); /* warps_of_two_cores: second */
}

CASE(global_memory) {
  const unsigned lane = simt_lane();
  if (is(1, 2)) *global(lane) = lane; /* global_memory: first */
  if (!bug) barrier();
  if (is(3, 4)) *shared(lane) = *global(lane); /* global_memory: second */
}

CASE(barrier_without_fence) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) *shared(lane) = lane; /* barrier_without_fence: first */
  if (!bug) simt_fence();
  simt_bar(0, simt_warps());
  if (is(1, 0)) result[lane] = *shared(lane); /* barrier_without_fence: second */
}

CASE(overwritten_too_early) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) *shared(lane) = lane;
  barrier();
  if (is(0, 1)) result[lane] = *shared(lane); /* overwritten_too_early: first */
  if (!bug) barrier();
  if (is(0, 0)) *shared(lane) = 1; /* overwritten_too_early: second */
}

CASE(same_value) {
  const unsigned lane = simt_lane();
  if (is(0, 0) || is(0, 1)) *shared(lane + (bug ? 0 : 8 * simt_warp())) = 7; /* same_value: first, second */
}

CASE(lanes_of_a_warp) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) *shared(bug ? lane / 2 : lane) = lane; /* lanes_of_a_warp: first, second */
}

CASE(neighbours_word) {
  const unsigned lane = simt_lane(), first = 8 * simt_warp() + lane;
  if (simt_core() != 0) return;
  *shared(first) = lane; /* neighbours_word: second */
  *shared(bug ? first + 1 : first) = 3; /* neighbours_word: first */
}

CASE(other_barrier) {
  const unsigned lane = simt_lane(), half = simt_warps() / 2, first = simt_warp() < half;
  if (is(0, 0)) *shared(lane) = lane; /* other_barrier: first */
  simt_fence();
  simt_bar(bug ? 1 + first : 1, bug ? half : 2 * half);
  if (is(0, 7)) result[lane] = *shared(lane); /* other_barrier: second */
}

CASE(flag_without_fence) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) {
    *shared(lane) = lane; /* flag_without_fence: first */
    if (!bug) simt_fence();
    *static_cast<Word*>(&flag) = 1;
  } else if (is(1, 0)) {
    while (*static_cast<Word*>(&flag) == 0) {
    }
    result[lane] = *shared(lane); /* flag_without_fence: second */
  }
}

__attribute__((noinline)) static unsigned look_at_flag() {
  return *static_cast<Word*>(&flag); /* flag_of_another_function: second */
}
__attribute__((noinline)) static unsigned look_at_flag_atomically() { return simt_atomic_load(&flag); }

CASE(flag_of_another_function) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) {
    *shared(lane) = lane; /* flag_of_another_function: first */
    simt_fence();
    *static_cast<Word*>(&flag) = 1; /* flag_of_another_function: first */
  } else if (is(1, 0)) {
    while ((bug ? look_at_flag() : look_at_flag_atomically()) == 0) continue;
    result[lane] = *shared(lane); /* flag_of_another_function: second */
  }
}

CASE(atomic_and_plain) {
  const unsigned one = 1;
  if (!bug || simt_warp() != 3)
    __asm__ volatile("amoadd.w zero, %1, (%0)" ::"r"(&counter), "r"(one) /* atomic_and_plain: first */
                     : "memory");
  else *static_cast<Word*>(&counter) = 5; /* atomic_and_plain: second */
}

CASE(unlocked_counter) {
  Word* const lock = global(0);
  const unsigned lane = simt_lane(), first = lane == 0;
  SIMT_IF(first)
  unsigned taken = 1;
  while (taken != 0) {
    const unsigned one = 1;
    __asm__ volatile("amoswap.w.aq %0, %2, (%1)" : "=r"(taken) : "r"(lock), "r"(one) : "memory");
  }
  *static_cast<Word*>(&counter) = *static_cast<Word*>(&counter) + 1; /* unlocked_counter: first, second */
  if (!bug) simt_fence();
  __asm__ volatile("amoswap.w zero, zero, (%0)" ::"r"(lock) : "memory");
  SIMT_END_IF
}

CASE(lane_without_fence) {
  const unsigned lane = simt_lane();
  if (is(0, 0)) *shared(lane) = lane; /* lane_without_fence: first */
  if (!bug) simt_fence();
  if (is(0, 0)) result[lane] = *shared(lane ^ 1); /* lane_without_fence: second */
}

CASE(lane_between_fences) {
  const unsigned lane = simt_lane();
  simt_fence();
  if (is(0, 0)) *shared(lane) = lane; /* lane_between_fences: first */
  if (!bug) simt_fence();
  if (is(0, 0)) result[lane] = *shared(lane ^ 1); /* lane_between_fences: second */
  simt_fence();
}

CASE(uninitialised) {
  const unsigned lane = simt_lane();
  if (is(0, 0) && !bug) *shared(512 + lane) = 0;
  if (is(0, 0)) result[lane] = *shared(512 + lane); /* uninitialised: second */
}

CASE(partly_uninitialised) {
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(shared(600 + simt_lane()));
  if (!is(0, 0)) return;
  for (unsigned i = 0; i < (bug ? 3u : 4u); ++i) bytes[i] = 1;
  result[simt_lane()] = *shared(600 + simt_lane()); /* partly_uninitialised: second */
}

// ---- barriers ---------------------------------------------------------------------------------
CASE(counts_differ) {
  const unsigned warps = simt_warps();
  if (bug && simt_warp() == 2) simt_barrier(3, warps - 1); /* counts_differ: either */
  else simt_barrier(3, warps); /* counts_differ: either */
}

CASE(count_too_small) {
  simt_barrier(4, bug ? simt_warps() - 1 : simt_warps()); /* count_too_small: second */
}

CASE(count_too_large) {
  simt_barrier(5, bug ? simt_warps() + 1 : simt_warps()); /* count_too_large: second */
}

CASE(barrier_in_split) {
  const unsigned low = simt_lane() < 4;
  SIMT_IF(low)
  if (bug) barrier(); /* barrier_in_split: second */
  SIMT_ELSE
  if (bug) barrier(); /* barrier_in_split: second */
  SIMT_END_IF
}

// ---- matrix unit and DMA ----------------------------------------------------------------------
CASE(store_then_dma) {
  DRIVER
  *static_cast<Word*>(matrix_a) = 1; /* store_then_dma: first */
  if (!bug) simt_fence();
  cisc(MATRIX_UNIT_Q_LOAD_0); /* store_then_dma: second */
  wait();
  END_DRIVER
}

CASE(warps_then_dma) {
  if (is(2, 2)) static_cast<Word*>(matrix_b)[simt_lane()] = 1; /* warps_then_dma: first */
  if (!bug) barrier();
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0); /* warps_then_dma: second */
  wait();
  END_DRIVER
}

CASE(operands_without_fence) {
  for (unsigned i = simt_hart() % 256; i < 4096; i += 256) {
    *shared(i) = 0; /* operands_without_fence: first */
    *shared(2 * kQuarterWords + i) = 0;
  }
  if (!bug) simt_fence();
  simt_bar(0, simt_warps());
  DRIVER
  cisc(MATRIX_UNIT_Q_COMPUTE_0); /* operands_without_fence: second */
  wait();
  END_DRIVER
}

CASE(tile_too_early) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0); /* tile_too_early: first */
  if (!bug) wait();
  END_DRIVER
  barrier();
  if (is(1, 1)) result[simt_lane()] = *shared(simt_lane()); /* tile_too_early: second */
}

CASE(wait_without_barrier) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0); /* wait_without_barrier: first */
  wait();
  END_DRIVER
  if (!bug) barrier();
  if (is(1, 1)) result[simt_lane()] = *shared(simt_lane()); /* wait_without_barrier: second */
}

CASE(compute_too_early) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0); /* compute_too_early: first */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_COMPUTE_0); /* compute_too_early: second */
  wait();
  END_DRIVER
}

CASE(load_into_tile_in_use) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0);
  wait();
  cisc(MATRIX_UNIT_Q_COMPUTE_0); /* load_into_tile_in_use: either */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_0); /* load_into_tile_in_use: either */
  wait();
  END_DRIVER
}

CASE(one_buffer) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0);
  wait();
  for (unsigned k = 0; k < 3; ++k) {
    const bool odd = !bug && (k & 1) != 0;
    const unsigned compute = odd ? MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE : MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE;
    cisc(compute); /* one_buffer: either */
    cisc(bug || odd ? MATRIX_UNIT_Q_LOAD_0 : MATRIX_UNIT_Q_LOAD_1); /* one_buffer: either */
    wait();
  }
  END_DRIVER
}

CASE(sums_in_turns) {
  DRIVER
  load_and_compute();
  cisc(MATRIX_UNIT_Q_LOAD_1);
  wait();
  if (!bug) matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  cisc(MATRIX_UNIT_Q_COMPUTE_1); /* sums_in_turns: first */
  wait();
  cisc(MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE); /* sums_in_turns: second */
  wait();
  END_DRIVER
}

CASE(sums_of_another) {
  DRIVER
  load_and_compute();
  cisc(MATRIX_UNIT_Q_LOAD_1);
  wait();
  if (!bug) matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  cisc(MATRIX_UNIT_Q_COMPUTE_1); /* sums_of_another: first */
  wait();
  if (bug) matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  wait();
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0); /* sums_of_another: second */
  wait();
  END_DRIVER
}

CASE(sums_not_begun) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0);
  wait();
  for (unsigned tile = 0; tile < 2; ++tile)
    for (unsigned k = 0; k < 2; ++k) {
      const bool adds = k != 0 || (bug && tile != 0);
      const unsigned compute = adds ? MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE : MATRIX_UNIT_Q_COMPUTE_0;
      cisc(compute); /* sums_not_begun: either */
      wait();
      if (k == 1) matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
      wait();
    }
  END_DRIVER
}

CASE(store_into_tile_in_use) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0);
  wait();
  cisc(MATRIX_UNIT_Q_COMPUTE_0); /* store_into_tile_in_use: first */
  if (!bug) wait();
  *shared(5) = 0; /* store_into_tile_in_use: second */
  wait();
  END_DRIVER
}

CASE(result_too_early_shared) {
  DRIVER
  load_and_compute();
  cisc(MATRIX_UNIT_Q_STORE_SPAD); /* result_too_early_shared: first */
  if (!bug) wait();
  result[0] = *shared(17); /* result_too_early_shared: second */
  wait();
  END_DRIVER
}

CASE(result_too_early_global) {
  DRIVER
  load_and_compute();
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0); /* result_too_early_global: first */
  if (!bug) wait();
  result[0] = static_cast<Word*>(matrix_c)[17]; /* result_too_early_global: second */
  wait();
  END_DRIVER
}

CASE(result_loaded_too_early) {
  DRIVER
  load_and_compute();
  matrix_unit_loop_address_dc(kUnit, 0, address(matrix_a));
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0); /* result_loaded_too_early: either */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_1); /* result_loaded_too_early: either */
  wait();
  END_DRIVER
}

CASE(two_drivers) {
  for (unsigned core = 0; core < 2; ++core) {
    if (is(core, 0)) {
      const unsigned driver = simt_lane() == 0;
      SIMT_IF(driver)
      matrix_unit_loop_address_ab(kUnit, address(matrix_a), address(matrix_b)); /* two_drivers: either */
      cisc(MATRIX_UNIT_Q_LOAD_1); /* two_drivers: either */
      wait();
      SIMT_END_IF
    }
    if (!bug) barrier();
  }
}

CASE(lost_commands) {
  DRIVER
  cisc(MATRIX_UNIT_Q_LOAD_0);
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_1); /* lost_commands: either */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_0); /* lost_commands: either */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_1); /* lost_commands: either */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_0); /* lost_commands: either */
  if (!bug) wait();
  cisc(MATRIX_UNIT_Q_LOAD_1); /* lost_commands: either */
  wait();
  END_DRIVER
}

CASE(tile_leaves_buffer) {
  DRIVER
  matrix_unit_loop_address_ab(kUnit, address(matrix_a) + (bug ? 8 * 64 * 4 : 0), address(matrix_b));
  cisc(MATRIX_UNIT_Q_LOAD_0); /* tile_leaves_buffer: second */
  wait();
  END_DRIVER
}

CASE(tile_leaves_shared_memory) {
  DRIVER
  constexpr unsigned kRows = PLATFORM_SHARED_SIZE / (MATRIX_UNIT_DIM * 4);
  matrix_unit_loop_spad_ab(kUnit, bug ? kRows - 8 : 0, kRows);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0); /* tile_leaves_shared_memory: second */
  wait();
  END_DRIVER
}

using Case = void (*)(bool);
// clang-format off
static const Case cases[] = {
    warps_of_a_core, warps_of_two_cores, global_memory, barrier_without_fence, overwritten_too_early,
    same_value, lanes_of_a_warp, neighbours_word, other_barrier, flag_without_fence, atomic_and_plain,
    unlocked_counter, flag_of_another_function, lane_without_fence, lane_between_fences, uninitialised,
    partly_uninitialised, counts_differ, count_too_small, count_too_large, barrier_in_split, store_then_dma,
    warps_then_dma, operands_without_fence, tile_too_early, wait_without_barrier, compute_too_early,
    load_into_tile_in_use, one_buffer, sums_in_turns, sums_of_another, sums_not_begun, store_into_tile_in_use,
    result_too_early_shared, result_too_early_global, result_loaded_too_early, two_drivers, lost_commands,
    tile_leaves_buffer, tile_leaves_shared_memory};
// clang-format on

static void run(unsigned, void*) {
  DRIVER
  settings();
  wait();
  END_DRIVER
  barrier();
  cases[arguments.number](arguments.bug != 0);
  barrier();
}

int main() {
  spawn_tasks(spawn_threads(), run, nullptr);
  return 0;
}
