// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/operand_layout.h"

namespace spica::workloads {

namespace {

/// The position of the element that is number `x` of `across` and number `k` of `depth`.
std::uint64_t place(OperandLayout layout, std::uint64_t x, std::uint64_t k, std::uint64_t across,
                    std::uint64_t depth, std::uint64_t packed = 1) {
  switch (layout) {
    case OperandLayout::kAcross: return k / packed * packed * across + packed * x + k % packed;
    case OperandLayout::kAlongK: return x * depth + k;
    case OperandLayout::kPairsAcross: return place(OperandLayout::kAcross, x, k, across, depth, 2);
    case OperandLayout::kSwizzledA: return (x / 8 * 8 + k / 2 % 8) * depth + k / 16 * 16 + x % 8 * 2 + k % 2;
    case OperandLayout::kSwizzledB: return (k / 2 * 2 + x / 8 % 2) * across + x / 16 * 16 + x % 8 * 2 + k % 2;
    case OperandLayout::kDecoupledC: {  // x: row, k: column
      const std::uint64_t lane = x % 4 + k % 2 * 4, number = k % 16 / 4 * 8 + x % 16 / 4 * 2 + k % 4 / 2;
      return (x / 16 * (depth / 16) + k / 16) * 256 + number % 16 * 16 + number / 16 * 8 + lane;
    }
    case OperandLayout::kDecoupledA:
    case OperandLayout::kDecoupledB: break;
  }
  // A row of a 16 x 16 block becomes one 32-byte block of the tensor core: two rows (or columns) with eight
  // elements of k each; eight such rows are a set of k.
  const std::uint64_t set = k % 32 / 8, row = set % 2 * 8 + x % 16 / 2, column = x % 2 * 8 + k % 8;
  if (layout == OperandLayout::kDecoupledA) return (x / 16 * 16 + row) * depth + k / 16 * 16 + column;
  const std::uint64_t block_row = k / 32 * 2 + x / 16 % 2, block_column = x / 32 * 2 + set / 2;
  return (block_row * 16 + row) * across + block_column * 16 + column;
}

}  // namespace

std::vector<float> arranged_a(const std::vector<float>& a, std::uint32_t m, std::uint32_t k,
                              OperandLayout layout) {
  std::vector<float> result(a.size());
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t l = 0; l < k; ++l) result[place(layout, i, l, m, k)] = a[i * k + l];
  return result;
}

std::vector<float> arranged_b(const std::vector<float>& b, std::uint32_t k, std::uint32_t n,
                              OperandLayout layout, std::uint32_t packed) {
  std::vector<float> result(b.size());
  for (std::uint64_t l = 0; l < k; ++l)
    for (std::uint64_t j = 0; j < n; ++j) result[place(layout, j, l, n, k, packed)] = b[l * n + j];
  return result;
}

std::vector<float> gathered_c(const std::vector<float>& memory, std::uint32_t m, std::uint32_t n,
                              OperandLayout layout) {
  std::vector<float> result(memory.size());
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t j = 0; j < n; ++j) result[i * n + j] = memory[place(layout, i, j, m, n)];
  return result;
}

}  // namespace spica::workloads
