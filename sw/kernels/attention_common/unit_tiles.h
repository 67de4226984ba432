// SPDX-License-Identifier: Apache-2.0
// The matrix unit and its DMA as the attention kernels use them: tiles of 64 x 64 elements, FP32 or FP16, in the
// hexadeciles of shared memory, revision v2; of FP8 a tile takes half of one. One thread, the driver, calls these
// functions.
#pragma once

#include "sw/kernels/attention_common/unit_polls.h"

BUILT_FOR_WORD("matrix_unit.command_set", "hexadecile");

namespace attention {

constexpr unsigned kGlobalBarrier = 7;
constexpr unsigned kHexadecileBytes = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned kElementBytes = MATRIX_UNIT_ELEMENT_BYTES;  // of Q, K and V, or of a slot
constexpr unsigned kHexadecileRows = kHexadecileBytes / (MATRIX_UNIT_DIM * kElementBytes);
constexpr unsigned kBlocks = kTile / MATRIX_UNIT_DIM;
constexpr unsigned kRowBytes = kHeadDim * kElementBytes;  // of V: a slot of keys
constexpr unsigned kQueryRowBytes = kHeadSlots * kElementBytes;
// What a tile of Q, K, V or P takes, and what places of such tiles are counted in: a hexadecile, of FP8 half of one.
constexpr unsigned kOperandRows = kTile * kHeadSlots / MATRIX_UNIT_DIM;
static_assert(kHexadecileBytes == kTile * kTile * kElementBytes, "a tile fills one hexadecile");

constexpr unsigned tile_address(unsigned hexadecile) {
  return PLATFORM_SHARED_BASE + hexadecile * kHexadecileBytes;
}

/// The places of the operands; the addresses of a tile of K and V by the number of its first key
/// / 64.
struct Operands {
  unsigned sequence, q, k, v, o;
  explicit Operands(volatile const Arguments& a)
      : sequence(a.sequence),
        q(static_cast<unsigned>(a.q)),
        k(static_cast<unsigned>(a.k)),
        v(static_cast<unsigned>(a.v)),
        o(static_cast<unsigned>(a.o)) {}
  unsigned key(unsigned block) const { return k + block * kTile * kElementBytes; }
  unsigned value(unsigned block) const { return v + block * kKeySlots * kRowBytes; }
};

// Path A of the DMA has rows of Q and V, path B rows of the transposed K. Where those of Q are shorter, path A is
// configured before each load, when no other is under way.
static inline void configure(const Operands& operands) {
  matrix_unit_config_execute(kUnit);
  matrix_unit_config_load(kUnit, 0, kQueryRowBytes);
  matrix_unit_config_load(kUnit, 1, operands.sequence * kElementBytes);
  matrix_unit_config_store(kUnit, kRowBytes);
  matrix_unit_fence(kUnit);
}

// A load has two parts: settings, which take many stores to the unit's registers and go to the loop
// slot that is free, and the command.
static inline void set_addresses(const Operands& operands, unsigned a, unsigned b,
                                 unsigned stride = kHeadDim) {
  matrix_unit_loop_address_ab(kUnit, a, b);
  matrix_unit_loop_stride_ab(kUnit, stride, operands.sequence);
}
// `tiles` tiles of Q, in sequence, to place `to`; the first tile of K to `key_to`,
// if load_queries() is to load it.
static inline void set_queries(const Operands& operands, unsigned row, unsigned tiles, unsigned to,
                               unsigned key_to) {
  matrix_unit_loop_bounds(kUnit, tiles * kBlocks, kBlocks, kHeadSlots / MATRIX_UNIT_DIM);
  matrix_unit_loop_spad_ab(kUnit, to * kOperandRows, (key_to + 1) * kOperandRows);
  set_addresses(operands, operands.q + row * kQueryRowBytes, operands.key(0), kHeadSlots);
}
static inline void load_queries(bool with_key) {
  if (kQueryRowBytes != kRowBytes) matrix_unit_config_load(kUnit, 0, kQueryRowBytes);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | (with_key ? 0 : MATRIX_UNIT_LOOP_SKIP_LOAD_B), 0, 0);
}

// Commands for tiles of FP32, to be given to matrix_unit_cisc(). Operands A and B to hexadeciles a and b:
constexpr unsigned load_command(unsigned a, unsigned b) {
  return MATRIX_UNIT_H_LOAD | a << MATRIX_UNIT_H_A_SHIFT | b << MATRIX_UNIT_H_B_SHIFT;
}
// Hexadecile d = a * b:
constexpr unsigned multiply_command(unsigned a, unsigned b, unsigned d) {
  return MATRIX_UNIT_H_COMPUTE_STORE_SPAD | a << MATRIX_UNIT_H_A_SHIFT | b << MATRIX_UNIT_H_B_SHIFT |
         d << MATRIX_UNIT_H_D_SHIFT;
}

}  // namespace attention
