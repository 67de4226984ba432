// SPDX-License-Identifier: Apache-2.0
// Every warp of the machine: copies its two operand tiles to shared memory, loads f0..f31, runs two
// hgmma, the second with the tiles exchanged, waits and stores f0..f31. hgmma_test.py compares.
// Arguments: u32 unused; then by warp (core * warps + warp) 3 KB at PLATFORM_OPERAND_A: tile A, tile B,
// registers f0..f31 of eight lanes; results 1 KB each at PLATFORM_RESULT.
#include <decoupled_tensor_core.h>
#include <platform.h>
#include <spawn.h>

#ifndef TILE_OFFSET
#define TILE_OFFSET 0
#endif

static void work(unsigned, void*) {
  const unsigned lane = simt_lane(), warp = simt_core() * simt_warps() + simt_warp();
  const unsigned* from = reinterpret_cast<const unsigned*>(PLATFORM_OPERAND_A + 3072 * warp);
  const unsigned tiles = PLATFORM_SHARED_BASE + 2048 * warp + TILE_OFFSET;
  unsigned* to = reinterpret_cast<unsigned*>(tiles);
  for (unsigned word = lane; word < 512; word += 8) to[word] = from[word];
  simt_fence();
  const unsigned* c = from + 512 + lane;
  __asm__ volatile(
      "flw f0, 0(%0)\n\tflw f1, 32(%0)\n\tflw f2, 64(%0)\n\tflw f3, 96(%0)\n\t"
      "flw f4, 128(%0)\n\tflw f5, 160(%0)\n\tflw f6, 192(%0)\n\tflw f7, 224(%0)\n\t"
      "flw f8, 256(%0)\n\tflw f9, 288(%0)\n\tflw f10, 320(%0)\n\tflw f11, 352(%0)\n\t"
      "flw f12, 384(%0)\n\tflw f13, 416(%0)\n\tflw f14, 448(%0)\n\tflw f15, 480(%0)\n\t"
      "flw f16, 512(%0)\n\tflw f17, 544(%0)\n\tflw f18, 576(%0)\n\tflw f19, 608(%0)\n\t"
      "flw f20, 640(%0)\n\tflw f21, 672(%0)\n\tflw f22, 704(%0)\n\tflw f23, 736(%0)\n\t"
      "flw f24, 768(%0)\n\tflw f25, 800(%0)\n\tflw f26, 832(%0)\n\tflw f27, 864(%0)\n\t"
      "flw f28, 896(%0)\n\tflw f29, 928(%0)\n\tflw f30, 960(%0)\n\tflw f31, 992(%0)" ::"r"(c)
      : "memory", DECOUPLED_TENSOR_C);
  decoupled_tensor_settle();
  decoupled_tensor_multiply(tiles, tiles + 1024);
  decoupled_tensor_multiply(tiles + 1024, tiles);
  decoupled_tensor_wait();
  unsigned* result = reinterpret_cast<unsigned*>(PLATFORM_RESULT + 1024 * warp) + lane;
  __asm__ volatile(
      "fsw f0, 0(%0)\n\tfsw f1, 32(%0)\n\tfsw f2, 64(%0)\n\tfsw f3, 96(%0)\n\t"
      "fsw f4, 128(%0)\n\tfsw f5, 160(%0)\n\tfsw f6, 192(%0)\n\tfsw f7, 224(%0)\n\t"
      "fsw f8, 256(%0)\n\tfsw f9, 288(%0)\n\tfsw f10, 320(%0)\n\tfsw f11, 352(%0)\n\t"
      "fsw f12, 384(%0)\n\tfsw f13, 416(%0)\n\tfsw f14, 448(%0)\n\tfsw f15, 480(%0)\n\t"
      "fsw f16, 512(%0)\n\tfsw f17, 544(%0)\n\tfsw f18, 576(%0)\n\tfsw f19, 608(%0)\n\t"
      "fsw f20, 640(%0)\n\tfsw f21, 672(%0)\n\tfsw f22, 704(%0)\n\tfsw f23, 736(%0)\n\t"
      "fsw f24, 768(%0)\n\tfsw f25, 800(%0)\n\tfsw f26, 832(%0)\n\tfsw f27, 864(%0)\n\t"
      "fsw f28, 896(%0)\n\tfsw f29, 928(%0)\n\tfsw f30, 960(%0)\n\tfsw f31, 992(%0)" ::"r"(result)
      : "memory");
}

int main() {
  spawn_tasks(spawn_threads(), work, nullptr);
  return 0;
}
