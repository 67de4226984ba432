// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::workloads {

/// The layout of an operand in global memory. "Across" is the row of A or the column of B, K the extent of k and X the
/// extent across (M or N).
enum class OperandLayout : std::uint8_t {
  /// Elements with the same k are adjacent: A column-major, B row-major.
  kAcross,
  /// Elements along k are adjacent: A row-major, B column-major.
  kAlongK,
  /// Two elements along k form a 32-bit word; words with the same k are adjacent: the contents of a tensor core's
  /// operand register (vortex core/VX_tensor_core.sv). For FP16 the counterpart of kAcross for FP32.
  kPairsAcross,
  /// A or B of a decoupled tensor core (virgo core/TensorCoreDecoupled.scala), arranged so that a load in blocks of 16
  /// x 16 FP16 elements (gemmini LoopMatmul.scala) puts its 32-byte blocks in place. A tile of 16 across and 32 of k
  /// then occupies 1024 contiguous bytes: with loads of 128 x 64 x 128, A's tile (i, k) at byte i * 4096 + k * 1024,
  /// B's tile (k, j) at byte k * 4096 + j % 2 * 2048 + j / 2 * 1024. Elements stay within their blocks of 16 x 16 (A)
  /// or 32 x 32 (B).
  kDecoupledA,
  kDecoupledB,
  /// A or B (FP16) of a tensor core inside a core, row-major except within squares, so that a load in blocks of 16 x 16
  /// puts eight words of two elements along k, of eight rows of A or columns of B at one k, into 32 bytes. A is
  /// transposed in squares of 8 rows and 8 words; in B the 32 elements of 2 k and 16 columns change from k-major to
  /// column-major order, with both k of a column adjacent.
  kSwizzledA,
  kSwizzledB,
  /// A or B (FP16), arranged so that a load of A in tiles of 128 x 128 (B: 128 x 64) in blocks of 16 x 16 leaves a row
  /// of 128 (64) words for each two elements along k, the order in which the published kernels read what they loaded
  /// (kernels sgemm_tcore). Elements stay within their tiles.
  kRowsOfKA,
  kRowsOfKB,
  /// C of a decoupled tensor core in the order of its registers: consecutive tiles of 16 x 16. A tile has 16 rows of 16
  /// words; register r of lane l is in row r % 16, word r / 16 * 8 + l (virgo core/TensorCoreDecoupled.scala for the
  /// contents of a register; kernels sgemm_tcore for the order of the stores).
  kDecoupledC,
};

/// Elements of `bits` bits in a layout of slots of `slot_bits` bits, which kernels count as elements: several adjacent
/// elements along k share a slot, or an element occupies several slots. One of the two widths is a multiple of the
/// other.
struct Packing {
  std::uint32_t bits = 1, slot_bits = 1;
};

/// The row-major matrix in its memory order: A is m x k, B is k x n. Extents must be multiples of the layout's group
/// (2; 8; 16; 32; 64; 128), in slots.
std::vector<float> arranged_a(const std::vector<float>& a, std::uint32_t m, std::uint32_t k,
                              OperandLayout layout, Packing packing = {});
std::vector<float> arranged_b(const std::vector<float>& b, std::uint32_t k, std::uint32_t n,
                              OperandLayout layout, Packing packing = {});
/// The inverse: C, m x n, row-major from its memory order. Numbers are float, std::int32_t or words of FP16.
template <class Number>
std::vector<Number> gathered_c(const std::vector<Number>& memory, std::uint32_t m, std::uint32_t n,
                               OperandLayout layout);

}  // namespace spica::workloads
