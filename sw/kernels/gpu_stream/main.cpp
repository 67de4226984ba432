// SPDX-License-Identifier: Apache-2.0
// The kernels of the STREAM benchmark on vectors of 8 bytes per thread, and reads of one buffer by all work groups.
//
// Shows: how bandwidth of memory and of the level 2 cache grows with the number of threads, and which strides load few
// slices of it.
//
// A thread of a vector kernel handles one element of two words: word i and word i + threads of its work group's part.
// So each access of a warp is a whole line of 128 bytes. Run the vector kernels with a work group for each
// 2 * threads words.
//
// Argument block
//    0  u32 words    of the buffer that `cached` reads, a multiple of 16 * threads of a work group
//    4  u32 repeat   how often `cached` reads it
//    8  u64 x, y, z  addresses: init writes x; read reads y; scale is x = c y; triad is x = c y + z
//   32  u64 stride   bytes from one line of 32 words that `cached` reads to the next
#include <arguments.h>
#include <simt.h>
#include <spica/group.h>
#include <stdint.h>

struct Arguments {
  uint32_t words, repeat;
  uint64_t x, y, z, stride;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {16384, 4, 0xA0000000, 0xA4000000, 0xA8000000, 128};

static constexpr float kFactor = 1.25f;

struct Element {
  float *x, *y, *z;
  unsigned second;  // distance of the second word
};

SIMT_INLINE Element element(const Arguments* a) {
  const unsigned threads = spica::block_extent().x;
  const unsigned first = 2 * threads * spica::block_index().x + spica::group_thread();
  return {reinterpret_cast<float*>(static_cast<uintptr_t>(a->x)) + first,
          reinterpret_cast<float*>(static_cast<uintptr_t>(a->y)) + first,
          reinterpret_cast<float*>(static_cast<uintptr_t>(a->z)) + first, threads};
}

/// Loads a word that nothing needs.
SIMT_INLINE void use(float value) { __asm__ volatile("" ::"f"(value)); }

extern "C" void init(const Arguments* a) {
  const Element e = element(a);
  e.x[0] = kFactor;
  e.x[e.second] = kFactor;
}
extern "C" void read(const Arguments* a) {
  const Element e = element(a);
  const float first = e.y[0], second = e.y[e.second];
  use(first + second);
}
extern "C" void scale(const Arguments* a) {
  const Element e = element(a);
  const float first = e.y[0], second = e.y[e.second];
  e.x[0] = kFactor * first;
  e.x[e.second] = kFactor * second;
}
extern "C" void triad(const Arguments* a) {
  const Element e = element(a);
  const float y0 = e.y[0], y1 = e.y[e.second], z0 = e.z[0], z1 = e.z[e.second];
  e.x[0] = kFactor * y0 + z0;
  e.x[e.second] = kFactor * y1 + z1;
}

extern "C" void cached(const Arguments* a) {
  const unsigned threads = spica::block_extent().x, thread = spica::group_thread();
  const auto stride = static_cast<unsigned>(a->stride), step = threads / 32 * stride;
  const uintptr_t first = static_cast<uintptr_t>(a->y) + thread / 32 * stride + thread % 32 * 4;
  constexpr unsigned kLoads = 16;  // of a thread under way
  const unsigned rounds = a->words / threads / kLoads;
  float sums[4] = {};
  for (unsigned pass = 0; pass < a->repeat; ++pass) {
    uintptr_t line = first;
    for (unsigned round = 0; round < rounds; ++round) {
      float read[kLoads];
      for (unsigned i = 0; i < kLoads; ++i, line = simt_opaque(line + step))  // one address, not one of each
        read[i] = *reinterpret_cast<const float*>(line);
      for (unsigned i = 0; i < kLoads; ++i) sums[i % 4] += read[i];
    }
  }
  float sum = 0;
  for (const float part : sums) sum += part;
  use(sum);
}

// Two work groups in each cluster of 64 KB, whatever their threads.
constexpr unsigned kShared = 32768;

SPICA_KERNEL(init, 1024, kShared);
SPICA_KERNEL_NEEDS(init, 32, 1);
SPICA_KERNEL(read, 1024, kShared);
SPICA_KERNEL_NEEDS(read, 32, 1);
SPICA_KERNEL(scale, 1024, kShared);
SPICA_KERNEL_NEEDS(scale, 32, 1);
SPICA_KERNEL(triad, 1024, kShared);
SPICA_KERNEL_NEEDS(triad, 32, 1);
SPICA_KERNEL(cached, 256, 0);
