// SPDX-License-Identifier: Apache-2.0
// Argument block of the attention kernels, as in the published ones but for the last word, and the
// check of the sizes and of the machine.
//    0  u32 sequence, head_dim
//    8  u64 q, k, v, o     addresses: Q, V and O row-major (sequence rows of head_dim elements, O
//                          FP32), K transposed (head_dim rows of sequence elements)
//   40  u32 queries        how many of the queries are treated, from the first on; 0: all
// and, with ATTENTION_HEADS,
//   44  u32 heads          of this size, one after the other
//   48  u32 operand_bytes, output_bytes   from Q, K, V and from O of a head to those of the next
// The data of Q, K and V come with the loader.
#pragma once

#include <arguments.h>
#include <built_for.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>

BUILT_FOR("clusters", 1);  // as for the matrix products

namespace attention {

struct Arguments {
  uint32_t sequence, head_dim;
  uint64_t q, k, v, o;
  uint32_t queries;
#ifdef ATTENTION_HEADS
  uint32_t heads, operand_bytes, output_bytes;
#endif
};
#define ATTENTION_ARGUMENTS(name)       \
  KERNEL_ARGUMENTS(Arguments, name) = { \
      1024, 64, PLATFORM_OPERAND_A, PLATFORM_OPERAND_B, PLATFORM_OPERAND_C, PLATFORM_RESULT, 0}

constexpr unsigned kHeadDim = 64;
constexpr unsigned kKeysOfTile = 64;
constexpr unsigned kOutputRowBytes = kHeadDim * sizeof(float);  // of O in memory
// With ATTENTION_FP8_E4M3 or _E5M2 two neighbours along k, of the head or of the keys, have the place of an element of
// two bytes, a slot: tiles have half as many of them along k, and all else stays.
#if defined(ATTENTION_FP8_E4M3) || defined(ATTENTION_FP8_E5M2)
#define ATTENTION_FP8
constexpr bool kFp8 = true;
#else
constexpr bool kFp8 = false;
#endif
constexpr unsigned kHeadSlots = kHeadDim / (kFp8 ? 2 : 1), kKeySlots = kKeysOfTile / (kFp8 ? 2 : 1);
constexpr float kScoreScale = 0.125f;  // 1 / sqrt(kHeadDim)
// ATTENTION_MAIN(arguments) { ... } is main() of a kernel for one head. With ATTENTION_HEADS main() calls it once for
// each head, with its addresses in the argument block.
#ifdef ATTENTION_HEADS
#define ATTENTION_MAIN(arguments)                                                   \
  static int one_head();                                                            \
  int main() {                                                                      \
    int result = one_head();                                                        \
    for (unsigned head = 1; head < arguments.heads && result == 0; ++head) {        \
      simt_barrier(0, 1); /* all cores have done the last one */                    \
      if (simt_core() == 0) {                                                       \
        arguments.q = static_cast<uint32_t>(arguments.q) + arguments.operand_bytes; \
        arguments.k = static_cast<uint32_t>(arguments.k) + arguments.operand_bytes; \
        arguments.v = static_cast<uint32_t>(arguments.v) + arguments.operand_bytes; \
        arguments.o = static_cast<uint32_t>(arguments.o) + arguments.output_bytes;  \
      }                                                                             \
      simt_barrier(0, 1);                                                           \
      result = one_head();                                                          \
    }                                                                               \
    return result;                                                                  \
  }                                                                                 \
  static int one_head()
#else
#define ATTENTION_MAIN(arguments) int main()
#endif

constexpr unsigned kWarpLanes = 8;
#ifndef ATTENTION_WARPS  // of the machine
#define ATTENTION_WARPS 32
#endif
constexpr unsigned kWarps = ATTENTION_WARPS;
constexpr unsigned kThreads = kWarps * kWarpLanes;

/// How many queries are to be treated.
static inline unsigned queries_of(volatile const Arguments& arguments) {
  return arguments.queries != 0 ? arguments.queries : arguments.sequence;
}

/// True when the kernel can work: queries come in groups of `rows`, and each warp has its part of a
/// tile.
static inline bool fits(volatile const Arguments& arguments, unsigned rows) {
  const unsigned sequence = arguments.sequence, queries = queries_of(arguments);
  return sequence != 0 && sequence % kKeysOfTile == 0 && queries % rows == 0 && queries <= sequence &&
         arguments.head_dim == kHeadDim && simt_lanes() == kWarpLanes && spawn_threads() == kThreads;
}

}  // namespace attention
