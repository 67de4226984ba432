// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/operand_layout.h"

#include <algorithm>
#include <numeric>

#include "testbenches/support/catch.h"

using namespace spica;
using workloads::OperandLayout;

namespace {

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

/// What the matrix unit's loads make of a tile of `rows` x `columns` FP16 elements at (row, column)
/// of a matrix `width` wide: blocks of 16 x 16, one behind the other, row by row (gemmini
/// LoopMatmul.scala).
std::vector<float> loaded(const std::vector<float>& memory, unsigned width, unsigned row, unsigned column,
                          unsigned rows, unsigned columns) {
  std::vector<float> shared;
  for (unsigned i = 0; i < rows; i += 16)
    for (unsigned j = 0; j < columns; j += 16)
      for (unsigned r = 0; r < 16; ++r)
        for (unsigned c = 0; c < 16; ++c)
          shared.push_back(memory[std::size_t{row + i + r} * width + column + j + c]);
  return shared;
}

}  // namespace

TEST_CASE("elements of one k, or along k, lie side by side") {
  const std::vector<float> matrix{1, 2, 3, 4, 5, 6};  // A: 2 x 3 (m x k); B: 2 x 3 (k x n)
  CHECK(workloads::arranged_a(matrix, 2, 3, OperandLayout::kAlongK) == matrix);
  CHECK(workloads::arranged_a(matrix, 2, 3, OperandLayout::kAcross) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(workloads::arranged_b(matrix, 2, 3, OperandLayout::kAcross) == matrix);
  CHECK(workloads::arranged_b(matrix, 2, 3, OperandLayout::kAlongK) == std::vector<float>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("pairs along k make the words of one k") {
  const std::vector<float> a{1, 2, 3, 4, 5, 6, 7, 8};  // 2 x 4
  CHECK(workloads::arranged_a(a, 2, 4, OperandLayout::kPairsAcross) ==
        std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8});
  CHECK(workloads::arranged_b(a, 4, 2, OperandLayout::kPairsAcross) ==
        std::vector<float>{1, 3, 2, 4, 5, 7, 6, 8});
}

TEST_CASE("a load puts the tiles of a decoupled tensor core in place") {
  // Matrices of several loads each; element numbers name their place in the row-major matrix.
  constexpr unsigned kM = 256, kN = 128, kK = 256;
  const auto a = workloads::arranged_a(counted(kM * kK), kM, kK, OperandLayout::kDecoupledA);
  const auto b = workloads::arranged_b(counted(kK * kN), kK, kN, OperandLayout::kDecoupledB);
  const auto tile_a = loaded(a, kK, 128, 128, 128, 128);  // rows 128.., k 128..
  const auto tile_b = loaded(b, kN, 128, 64, 128, 64);    // k 128.., columns 64..
  bool right = true;
  for (unsigned x = 0; x < 128; ++x)
    for (unsigned k = 0; k < 128; ++k) {
      // Virgo core/TensorCoreDecoupled.scala: 32-byte block 8 * set + index / 2 of the tile, 16
      // bytes per row or column.
      const unsigned in_tile = (8 * (k % 32 / 8) + x % 16 / 2) * 16 + x % 2 * 8 + k % 8;
      right &= tile_a[(x / 16 * 4096 + k / 32 * 1024) / 2 + in_tile] ==
               static_cast<float>((128 + x) * kK + 128 + k);
      if (x < 64)
        right &= tile_b[(k / 32 * 4096 + x / 16 % 2 * 2048 + x / 32 * 1024) / 2 + in_tile] ==
                 static_cast<float>((128 + k) * kN + 64 + x);
    }
  CHECK(right);
}

TEST_CASE("a load puts eight rows, or columns, of one pair of k side by side") {
  constexpr unsigned kM = 256, kN = 128, kK = 256;
  const auto a = workloads::arranged_a(counted(kM * kK), kM, kK, OperandLayout::kSwizzledA);
  const auto b = workloads::arranged_b(counted(kK * kN), kK, kN, OperandLayout::kSwizzledB);
  const auto tile_a = loaded(a, kK, 128, 128, 128, 128);
  const auto tile_b = loaded(b, kN, 128, 64, 128, 64);
  bool right = true;
  for (unsigned x = 0; x < 128; ++x)
    for (unsigned k = 0; k < 128; ++k) {
      // Word of two k in a block of 16 x 16: of A eight rows in each 32 bytes, k by k; of B 16 columns.
      const unsigned in_a = (x % 16 / 8 * 8 + k % 16 / 2) * 16 + x % 8 * 2 + k % 2;
      right &= tile_a[(x / 16 * 8 + k / 16) * 256 + in_a] == static_cast<float>((128 + x) * kK + 128 + k);
      if (x < 64)
        right &= tile_b[(k / 16 * 4 + x / 16) * 256 + k % 16 / 2 * 32 + x % 16 * 2 + k % 2] ==
                 static_cast<float>((128 + k) * kN + 64 + x);
    }
  CHECK(right);
}

TEST_CASE("a load leaves a row of words for each two elements along k, as the published kernels read them") {
  constexpr unsigned kM = 256, kN = 128, kK = 256;
  const auto a = workloads::arranged_a(counted(kM * kK), kM, kK, OperandLayout::kRowsOfKA);
  const auto b = workloads::arranged_b(counted(kK * kN), kK, kN, OperandLayout::kRowsOfKB);
  const auto tile_a = loaded(a, kK, 128, 128, 128, 128);
  const auto tile_b = loaded(b, kN, 128, 64, 128, 64);
  bool right = true;
  for (unsigned x = 0; x < 128; ++x)
    for (unsigned k = 0; k < 128; ++k) {
      right &= tile_a[(k / 2 * 128 + x) * 2 + k % 2] == static_cast<float>((128 + x) * kK + 128 + k);
      if (x < 64)
        right &= tile_b[(k / 2 * 64 + x) * 2 + k % 2] == static_cast<float>((128 + k) * kN + 64 + x);
    }
  CHECK(right);
}

TEST_CASE("C of a decoupled tensor core is read register by register") {
  constexpr unsigned kM = 32, kN = 48;
  std::vector<float> memory(kM * kN);
  for (unsigned row = 0; row < kM; row += 16)
    for (unsigned column = 0; column < kN; column += 16)
      for (unsigned r = 0; r < 32; ++r)
        for (unsigned l = 0; l < 8; ++l) {  // vortex-hopper: what register r of lane l has
          const unsigned i = row + 4 * (r / 2 % 4) + l % 4, j = column + 4 * (r / 8) + 2 * (r % 2) + l / 4;
          memory[(row / 16 * (kN / 16) + column / 16) * 256 + r % 16 * 16 + r / 16 * 8 + l] =
              static_cast<float>(i * kN + j);
        }
  CHECK(workloads::gathered_c(memory, kM, kN, OperandLayout::kDecoupledC) == counted(kM * kN));
  CHECK(workloads::gathered_c(memory, kM, kN, OperandLayout::kAlongK) == memory);
}

TEST_CASE("elements of other widths fill the slots of a layout in the order of k") {
  using workloads::Packing;
  const auto b = counted(8 * 2);  // 8 of k, two columns
  // Two to a slot, slots in pairs: four of k side by side. One in two slots: one of k.
  CHECK(workloads::arranged_b(b, 8, 2, OperandLayout::kPairsAcross, Packing{8, 16}) ==
        std::vector<float>{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15});
  CHECK(workloads::arranged_b(b, 8, 2, OperandLayout::kPairsAcross, Packing{32, 16}) == b);
  CHECK(workloads::arranged_b(b, 8, 2, OperandLayout::kAcross, Packing{8, 32}) ==
        std::vector<float>{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15});
  CHECK(workloads::arranged_a(b, 2, 8, OperandLayout::kAlongK, Packing{4, 16}) == b);
  // Every layout keeps all elements, words of 32 bits whole.
  for (const OperandLayout layout : {OperandLayout::kSwizzledA, OperandLayout::kDecoupledA}) {
    const auto halves = workloads::arranged_a(counted(64 * 64), 64, 64, layout);
    const auto bytes = workloads::arranged_a(counted(64 * 128), 64, 128, layout, Packing{8, 16});
    const auto words = workloads::arranged_a(counted(64 * 32), 64, 32, layout, Packing{32, 16});
    for (std::size_t word = 0; word < words.size(); ++word) {
      const auto first = static_cast<std::size_t>(words[word]);  // element of 32 bits: row, word of k
      CHECK(halves[2 * word] == static_cast<float>(2 * first));
      CHECK(halves[2 * word + 1] == static_cast<float>(2 * first + 1));
      for (std::size_t i = 0; i < 4; ++i) CHECK(bytes[4 * word + i] == static_cast<float>(4 * first + i));
    }
  }
}
