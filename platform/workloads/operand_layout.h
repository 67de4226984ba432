// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::workloads {

/// How an operand is laid out in global memory. "Across" is the row of A or the column of B, K the extent
/// of k and X the extent across (M or N).
enum class OperandLayout : std::uint8_t {
  /// The elements of one k side by side: A column-major, B row-major.
  kAcross,
  /// The elements along k side by side: A row-major, B column-major.
  kAlongK,
  /// Two elements along k make a word of 32 bits, words of one k side by side: what a tensor core's
  /// operand
  /// register takes (vortex core/VX_tensor_core.sv), for FP16 what kAcross is for FP32.
  kPairsAcross,
  /// A or B of a decoupled tensor core (virgo core/TensorCoreDecoupled.scala), such that a load in
  /// blocks of 16 x 16 FP16 elements
  /// (gemmini LoopMatmul.scala) puts its 32-byte blocks in place. A tile of 16 across and 32 of k
  /// is then 1024 bytes in one
  /// piece: with loads of 128 x 64 x 128, A's tile (i, k) at byte i * 4096 + k * 1024, B's tile (k,
  /// j) at
  /// byte k * 4096 + j % 2 * 2048 + j / 2 * 1024. Elements stay in their blocks of 16 x 16 (A) or
  /// 32 x 32 (B).
  kDecoupledA,
  kDecoupledB,
  /// A or B (FP16) of a tensor core inside a core, row-major but for squares: such that a load in blocks of
  /// 16 x 16 puts eight words of two elements along k, of eight rows of A or columns of B at one k, into 32
  /// bytes. A is transposed in squares of 8 rows and 8 words; in B the 32 elements of 2 k and 16 columns go
  /// from k by k to column by column, both k of a column side by side.
  kSwizzledA,
  kSwizzledB,
  /// C of a decoupled tensor core as its registers are: consecutive tiles of 16 x 16; in a tile 16 rows of
  /// 16 words, register r of lane l in row r % 16, word r / 16 * 8 + l (virgo core/TensorCoreDecoupled.scala for what
  /// a register has; kernels sgemm_tcore for the order of the stores).
  kDecoupledC,
};

/// Elements of `bits` bits where the layout places what a kernel counts as elements, slots of `slot_bits` bits: several
/// neighbours along k share a slot, or one takes several. One of the two is a multiple of the other.
struct Packing {
  std::uint32_t bits = 1, slot_bits = 1;
};

/// The matrix (row-major) in its memory order: of A, which is m x k, of B,
/// which is k x n. Extents must be multiples of what the layout groups (2; 8; 16; 32), in slots.
std::vector<float> arranged_a(const std::vector<float>& a, std::uint32_t m, std::uint32_t k,
                              OperandLayout layout, Packing packing = {});
std::vector<float> arranged_b(const std::vector<float>& b, std::uint32_t k, std::uint32_t n,
                              OperandLayout layout, Packing packing = {});
/// The other way: C, which is m x n, row-major from its memory order. Numbers are float or std::int32_t.
template <class Number>
std::vector<Number> gathered_c(const std::vector<Number>& memory, std::uint32_t m, std::uint32_t n,
                               OperandLayout layout);

}  // namespace spica::workloads
