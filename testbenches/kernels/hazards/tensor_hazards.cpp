// SPDX-License-Identifier: Apache-2.0
// As hazards.cpp, for decoupled tensor cores: the configuration fp16-hopper.
// Arguments: u32 case, u32 bug (1: with the hazard).
#include <arguments.h>
#include <decoupled_tensor_core.h>
#include <matrix_unit.h>
#include <platform.h>
#include <spawn.h>

struct Arguments {
  uint32_t number, bug;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 1};

#define CASE(name) __attribute__((noinline)) static void name([[maybe_unused]] bool bug)

using Word = volatile unsigned;

alignas(64) static unsigned matrix_a[128 * 64], matrix_b[128 * 32], words[64];

constexpr unsigned kUnit = 0, kTile = PLATFORM_SHARED_BASE, kOther = kTile + 1024;
static inline bool is(unsigned core, unsigned warp) { return simt_core() == core && simt_warp() == warp; }
static inline void barrier() { simt_barrier(0, simt_warps()); }
static inline void wait() {
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(kUnit);
}
static inline void fill() {
  for (unsigned i = simt_lane(); i < 512; i += simt_lanes()) reinterpret_cast<Word*>(kTile)[i] = 0;
}

CASE(unsettled_store) {
  if (!is(0, 0)) return;
  fill();
  decoupled_tensor_settle();
  decoupled_tensor_clear();
  reinterpret_cast<Word*>(kTile)[simt_lane()] = 1; /* unsettled_store: first */
  simt_fence();
  if (!bug) decoupled_tensor_settle();
  decoupled_tensor_multiply(kTile, kOther); /* unsettled_store: second */
  decoupled_tensor_wait();
}

CASE(tile_of_another_warp) {
  if (is(1, 1)) fill();
  decoupled_tensor_settle();
  barrier();
  if (is(1, 1)) {
    reinterpret_cast<Word*>(kOther)[simt_lane()] = 1; /* tile_of_another_warp: first */
    decoupled_tensor_settle();
  }
  if (!bug) barrier();
  if (is(2, 2)) {
    decoupled_tensor_clear();
    decoupled_tensor_multiply(kTile, kOther); /* tile_of_another_warp: second */
    decoupled_tensor_wait();
  }
}

CASE(product_before_dma) {
  if (is(0, 0)) {
    const unsigned driver = simt_lane() == 0;
    SIMT_IF(driver)
    matrix_unit_h_load(kUnit, 0, 11); /* product_before_dma: first */
    if (!bug) wait();
    SIMT_END_IF
  }
  barrier();
  if (is(3, 0)) {
    decoupled_tensor_clear();
    decoupled_tensor_multiply(kTile, kOther); /* product_before_dma: second */
    decoupled_tensor_wait();
  }
}

CASE(overwritten_operand) {
  if (!is(0, 0)) return;
  fill();
  decoupled_tensor_settle();
  decoupled_tensor_clear();
  decoupled_tensor_multiply(kTile, kOther); /* overwritten_operand: first */
  if (!bug) decoupled_tensor_wait();
  reinterpret_cast<Word*>(kOther)[simt_lane()] = 1; /* overwritten_operand: second */
  decoupled_tensor_wait();
}

CASE(result_before_wait) {
  if (!is(0, 0)) return;
  fill();
  decoupled_tensor_settle();
  decoupled_tensor_clear();
  decoupled_tensor_multiply(kTile, kOther); /* result_before_wait: first */
  if (!bug) decoupled_tensor_wait();
  __asm__ volatile("fsw f0, 0(%0)" ::"r"(words + simt_lane()) : "memory"); /* result_before_wait: second */
  decoupled_tensor_wait();
}

CASE(load_under_way) {
  if (!is(0, 0)) return;
  fill();
  decoupled_tensor_settle();
  decoupled_tensor_clear();
  __asm__ volatile("flw f3, 0(%0)" ::"r"(words + simt_lane()) : "f3", "memory");
  if (!bug) decoupled_tensor_settle();
  decoupled_tensor_multiply(kTile, kOther); /* load_under_way: second */
  decoupled_tensor_wait();
}

using Case = void (*)(bool);
static const Case cases[] = {unsettled_store,     tile_of_another_warp, product_before_dma,
                             overwritten_operand, result_before_wait,   load_under_way};

static void run(unsigned, void*) {
  const unsigned driver = simt_hart() == 0;
  SIMT_IF(driver)
  matrix_unit_config_execute(kUnit);
  matrix_unit_config_load(kUnit, 0, 256);
  matrix_unit_config_load(kUnit, 1, 128);
  matrix_unit_loop_address_ab(kUnit, static_cast<unsigned>(reinterpret_cast<uintptr_t>(matrix_a)),
                              static_cast<unsigned>(reinterpret_cast<uintptr_t>(matrix_b)));
  matrix_unit_loop_stride_ab(kUnit, 128, 64);
  wait();
  SIMT_END_IF
  barrier();
  cases[arguments.number](arguments.bug != 0);
  barrier();
}

int main() {
  spawn_tasks(spawn_threads(), run, nullptr);
  return 0;
}
